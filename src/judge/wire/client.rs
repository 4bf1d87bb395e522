//! Sending: one logical call with its key, its waits and its repetitions.
//!
//! HTTP clients are kept for this machine, which never go through a proxy, and for everywhere else, which go
//! through the one that the environment names. Neither follows redirects: a key is for the server that it was given for.
//!
//! A request is sent again where that may help and is safe: the server was too busy, failed, or closed the connection. What
//! was cut off in between may have been paid twice; no dialect has a way to know.

use super::failure::{Trouble, of_status};
use super::read::{LONGEST_DETAIL, shown, whole};
use super::secret::{Secret, redact, strike};
use super::wait;
use super::{Answer, Failure, FailureKind, Rendered, Reply};
use crate::judge::config::{Alias, Dialect};
use crate::judge::limits::{Allowed, Endpoint, Limiter, Load, Permit};
use jiff::Timestamp;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Request, Response, Url};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};
use std::time::Duration;

/// To connect; a server that is there answers sooner.
const CONNECT: Duration = Duration::from_secs(15);
/// Bytes of an error's body that are read.
const LARGEST_ERROR: u64 = 64 * 1024;
/// A request that found no answer in its time is sent again this often: each costs a whole timeout, and perhaps money.
const TIMEOUTS: u32 = 1;

/// How long a server is left alone that is too busy and does not say for how long; the request itself waits longer.
const PAUSE: Duration = Duration::from_secs(1);
/// Tokens that a reply is counted with before it is there.
const USUAL_REPLY: u32 = 200;

/// Looks the value of a variable up.
type Variables = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Sends requests. One for the whole process: it keeps connections and what it has learnt of each server.
pub struct Client {
    /// For this machine and for others, each without and with TLS.
    http: [[OnceLock<Result<reqwest::Client, String>>; 2]; 2],
    variables: Variables,
    keys: Mutex<HashMap<String, Option<Arc<Secret>>>>,
    limiter: Limiter,
    /// As many as configuration names models, so they are searched one by one.
    routes: Mutex<Vec<Arc<Route>>>,
}

/// How a model is asked, but for the body: put together once, because a run asks very often.
#[derive(Debug)]
struct Route {
    endpoint: Endpoint,
    /// As a rendered request has them.
    address: String,
    plain: &'static [(&'static str, &'static str)],
    url: Url,
    /// Those and the key.
    headers: HeaderMap,
    key: Option<Arc<Secret>>,
    http: reqwest::Client,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("limiter", &self.limiter).finish_non_exhaustive()
    }
}

impl Default for Client {
    fn default() -> Client {
        Client::new()
    }
}

impl Client {
    /// A client that takes keys from the environment of the process.
    #[must_use]
    pub fn new() -> Client {
        Client::with_variables(|name| std::env::var(name).ok())
    }

    /// A client that takes keys from elsewhere.
    #[must_use]
    pub fn with_variables(variables: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Client {
        Client {
            http: Default::default(),
            variables: Box::new(variables),
            keys: Mutex::new(HashMap::new()),
            limiter: Limiter::new(),
            routes: Mutex::default(),
        }
    }

    /// Whether an alias can be asked at all: its key is there and its address is one. Sends nothing.
    ///
    /// # Errors
    /// [`FailureKind::Unauthorised`] with the name of the variable to set.
    pub fn ready(&self, alias: &Alias) -> Result<(), Failure> {
        self.key(alias)?;
        self.http(&alias.base_url).map(|_| ())
    }

    /// How busy the server of an alias is.
    #[must_use]
    pub fn load(&self, alias: &Alias) -> Load {
        self.limiter.load(&endpoint(alias))
    }

    /// Sends a request and reads what comes back: waits for its turn, sends it again where that may help, and ends with a reply
    /// or with why there is none. Dropping the future stops it; a request under way is then abandoned.
    ///
    /// # Errors
    /// As [`FailureKind`] says. Never with a key in it.
    pub async fn send(&self, alias: &Alias, rendered: &Rendered) -> Result<Reply, Failure> {
        self.send_if(alias, rendered, &|| Ok(())).await
    }

    /// As [`Client::send`]; `go` is asked each time that the request is about to go out, and may call it off after all.
    ///
    /// # Errors
    /// As [`Client::send`], and what `go` says.
    pub async fn send_if(
        &self,
        alias: &Alias,
        rendered: &Rendered,
        go: &(dyn Fn() -> Result<(), Failure> + Sync),
    ) -> Result<Reply, Failure> {
        let route = self.route(alias, rendered)?;
        let key = route.key.as_deref();
        match self.repeat(alias, rendered, &route, go).await {
            Ok(mut reply) => {
                strike(&mut reply.model, key);
                if let Answer::Text { text, .. } = &mut reply.answer {
                    strike(text, key);
                }
                Ok(reply)
            }
            Err(mut failure) => {
                failure.detail = redact(&failure.detail, key);
                Err(failure)
            }
        }
    }

    async fn repeat(
        &self,
        alias: &Alias,
        rendered: &Rendered,
        route: &Route,
        go: &(dyn Fn() -> Result<(), Failure> + Sync),
    ) -> Result<Reply, Failure> {
        let allowed = Allowed {
            concurrency: alias.limits.concurrency,
            requests_per_minute: alias.limits.requests_per_minute,
            tokens_per_minute: alias.limits.tokens_per_minute,
        };
        let tokens = rendered.tokens + u64::from(rendered.max_tokens.min(USUAL_REPLY));
        let mut permit = self.limiter.acquire(&route.endpoint, allowed, tokens).await;
        let (mut attempt, mut timeouts) = (0, 0);
        loop {
            go()?;
            let mut request = Request::new(Method::POST, route.url.clone());
            request.headers_mut().clone_from(&route.headers);
            *request.body_mut() = Some(rendered.body.clone().into());
            let response = route.http.execute(request);
            let sent = tokio::time::timeout(alias.limits.timeout, once(alias, rendered, response, &permit)).await;
            let trouble = match sent {
                Ok(Ok(reply)) => {
                    permit.succeeded();
                    permit.used(reply.usage.input.saturating_add(reply.usage.output));
                    return Ok(reply);
                }
                Ok(Err(trouble)) => trouble,
                Err(_) => {
                    timeouts += 1;
                    let seconds = alias.limits.timeout.as_secs_f64();
                    let mut trouble = Trouble::passing(format!("the server did not answer within {seconds} seconds"));
                    trouble.passes = timeouts <= TIMEOUTS;
                    // A server that is asked for more than it can do answers no one in time.
                    trouble.busy = true;
                    trouble
                }
            };
            if trouble.busy {
                permit.too_busy();
            }
            attempt += 1;
            if !trouble.passes {
                return Err(trouble.failure);
            }
            if attempt > alias.limits.retries {
                let words = format!("after {attempt} attempts");
                return Err(if attempt > 1 { after(trouble.failure, &words) } else { trouble.failure });
            }
            let longest = alias.limits.max_wait;
            if let Some(asked) = trouble.wait.filter(|asked| *asked > longest) {
                let words =
                    format!("it asks to wait {} seconds, and `max_wait` is {}", asked.as_secs(), longest.as_secs());
                return Err(after(trouble.failure, &words));
            }
            let wait = wait::before(attempt, trouble.wait).min(longest);
            if trouble.busy {
                permit.pause(if trouble.wait.is_some() { wait } else { wait.min(PAUSE) });
            }
            permit.again(wait).await;
        }
    }

    /// The key of an alias. Each variable is looked up once.
    fn key(&self, alias: &Alias) -> Result<Option<Arc<Secret>>, Failure> {
        let Some(variable) = &alias.key else { return Ok(None) };
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let key = match keys.get(variable) {
            Some(key) => key.clone(),
            None => {
                let key = (self.variables)(variable).and_then(|text| Secret::new(&text)).map(Arc::new);
                keys.insert(variable.clone(), key.clone());
                key
            }
        };
        key.map(Some).ok_or_else(|| {
            Failure::new(
                FailureKind::Unauthorised,
                format!("the model `{}` needs a key: set the variable {variable} in the environment", alias.name),
            )
        })
    }

    /// The HTTP client for an address.
    fn http(&self, url: &str) -> Result<(&reqwest::Client, Url), Failure> {
        let unusable = |why: String| Failure::new(FailureKind::Rejected, why);
        let url = Url::parse(url).map_err(|_| unusable("the address of the server is none".to_owned()))?;
        let is_here = is_here(&url);
        let [[here, here_tls], [elsewhere, elsewhere_tls]] = &self.http;
        let tls = url.scheme() == "https";
        let cell = match (is_here, tls) {
            (true, false) => here,
            (true, true) => here_tls,
            (false, false) => elsewhere,
            (false, true) => elsewhere_tls,
        };
        let http = cell.get_or_init(|| build(!is_here, tls)).as_ref().map_err(|why| unusable(why.clone()))?;
        Ok((http, url))
    }

    /// The way to the server of an alias.
    fn route(&self, alias: &Alias, rendered: &Rendered) -> Result<Arc<Route>, Failure> {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(route) = routes.iter().find(|route| route.is_of(alias, rendered)) {
            return Ok(Arc::clone(route));
        }
        let key = self.key(alias)?;
        let (http, url) = self.http(&rendered.url)?;
        let route = Arc::new(Route {
            endpoint: endpoint(alias),
            address: rendered.url.clone(),
            plain: rendered.headers,
            headers: headers(alias.dialect, rendered, key.as_deref())?,
            url,
            key,
            http: http.clone(),
        });
        routes.push(Arc::clone(&route));
        Ok(route)
    }
}

impl Route {
    fn is_of(&self, alias: &Alias, rendered: &Rendered) -> bool {
        self.address == rendered.url
            && self.endpoint.model == alias.model
            && self.endpoint.key == alias.key
            && self.endpoint.url == alias.base_url
            && self.plain == rendered.headers
    }
}

fn endpoint(alias: &Alias) -> Endpoint {
    Endpoint { url: alias.base_url.clone(), model: alias.model.clone(), key: alias.key.clone() }
}

fn after(mut failure: Failure, words: &str) -> Failure {
    failure.detail = format!("{} ({words})", failure.detail);
    failure
}

/// Whether an address is on this machine.
fn is_here(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback()),
        None => false,
    }
}

fn build(proxies: bool, tls: bool) -> Result<reqwest::Client, String> {
    // Once for the process; whoever has installed another one before keeps it.
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let builder = reqwest::Client::builder()
        .user_agent(concat!("rubric/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT)
        .tcp_nodelay(true);
    let builder = if proxies { builder } else { builder.no_proxy() };
    // Where nothing is encrypted, a machine without certificates of authorities will do.
    let builder = if tls { builder } else { builder.tls_certs_only([]) };
    builder.build().map_err(|error| {
        format!(
            "this machine cannot check whom it talks to: {}. Install the certificates of the system (`ca-certificates`), or name a \
             file of them in SSL_CERT_FILE",
            chain(&error)
        )
    })
}

/// The headers of a request, its key among them, marked so that no log shows it.
fn headers(dialect: Dialect, rendered: &Rendered, key: Option<&Secret>) -> Result<HeaderMap, Failure> {
    let unusable = || Failure::new(FailureKind::Rejected, "a header of the request cannot be sent");
    let mut headers = HeaderMap::new();
    for (name, value) in rendered.headers {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if let Some(key) = key {
        let (name, value) = match dialect {
            Dialect::Anthropic => (HeaderName::from_static("x-api-key"), key.reveal().to_owned()),
            Dialect::Gemini => (HeaderName::from_static("x-goog-api-key"), key.reveal().to_owned()),
            _ => (AUTHORIZATION, format!("Bearer {}", key.reveal())),
        };
        let mut value = HeaderValue::from_str(&value).map_err(|_| unusable())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// Sends a request once.
async fn once(
    alias: &Alias,
    rendered: &Rendered,
    response: impl Future<Output = reqwest::Result<Response>>,
    permit: &Permit,
) -> Result<Reply, Trouble> {
    let response = response.await.map_err(|error| lost(&error))?;
    let status = response.status().as_u16();
    if status == 200 {
        if let Some(wait) = wait::spent(response.headers(), Timestamp::now()) {
            // The next request would be refused.
            permit.pause(wait.min(alias.limits.max_wait));
        }
        let asked = wait::asked_by_name(response.headers(), Timestamp::now());
        let body = body(response, alias.limits.max_reply, true).await?;
        return whole(alias, rendered, &body).map_err(|mut trouble| {
            trouble.wait = trouble.wait.or(asked);
            trouble
        });
    }
    let asked = wait::asked(response.headers(), Timestamp::now());
    let moved = response.headers().get("location").and_then(|l| l.to_str().ok()).map(shown);
    let body = body(response, LARGEST_ERROR, false).await?;
    let mut trouble = of_status(status, &body);
    trouble.wait = asked.or(trouble.wait);
    if let Some(moved) = moved.filter(|_| (300..400).contains(&status)) {
        trouble.failure.detail = format!("the server has moved to {moved}: correct `base_url` ({status})");
    }
    Err(trouble)
}

/// The body of a reply, up to so many bytes. What is longer is an error, or is cut off where that is enough.
async fn body(mut response: Response, most: u64, all: bool) -> Result<Vec<u8>, Trouble> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| lost(&error))? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() as u64 > most {
            if all {
                let detail = format!("the reply is longer than {most} bytes (`max_reply`)");
                return Err(Trouble::for_good(Failure::new(FailureKind::Malformed, detail)));
            }
            break;
        }
    }
    Ok(bytes)
}

/// A request that got no whole reply.
fn lost(error: &reqwest::Error) -> Trouble {
    let what = if error.is_connect() {
        "the server cannot be reached"
    } else if error.is_body() || error.is_decode() {
        "the reply broke off"
    } else {
        "the request broke off"
    };
    let why: String = chain(error).chars().take(LONGEST_DETAIL).collect();
    if why.contains("failed to lookup address") {
        return Trouble::passing(format!(
            "{what}: its name is not known; check the address, or the network of this machine"
        ));
    }
    if why.contains("invalid peer certificate") {
        let why = why.split('{').next().unwrap_or_default().trim();
        let detail = format!(
            "{what}: its certificate is not trusted by this machine ({why}). If the server is your own, name a file with its \
             certificate in SSL_CERT_FILE, or add it to those of the system"
        );
        return Trouble::for_good(Failure::new(FailureKind::Outage, detail));
    }
    Trouble::passing(format!("{what}: {why}"))
}

/// The innermost cause of an error: the others only say where it was seen, and show the address.
fn chain(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    // Chains are short; a circle would be a fault of whoever made it.
    for _ in 0..20 {
        match innermost.source() {
            Some(source) => innermost = source,
            None => break,
        }
    }
    shown(&innermost.to_string())
}
