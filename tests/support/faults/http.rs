//! As much HTTP/1.1 as the fault server needs: requests with a length, replies with one.

use serde_json::Value as Json;
use std::collections::BTreeMap;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

/// What the server was asked.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// From 0, in the order of arrival.
    pub number: usize,
    pub path: String,
    /// By names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    /// The body as JSON; `null` where it is none.
    pub json: Json,
}

/// The next request of a connection. `None`: there is none.
pub(super) async fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Request> {
    let end = loop {
        if let Some(end) = buffer.windows(4).position(|w| w == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: BTreeMap<String, String> =
        lines.filter_map(|l| l.split_once(':')).map(|(k, v)| (k.to_lowercase(), v.trim().to_owned())).collect();
    let length: usize = headers.get("content-length").and_then(|l| l.parse().ok()).unwrap_or(0);
    while buffer.len() < end + 4 + length {
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    let rest = buffer.split_off(end + 4 + length);
    let body = buffer.split_off(end + 4);
    *buffer = rest;
    let json = serde_json::from_slice(&body).unwrap_or(Json::Null);
    Some(Request { number: 0, path, headers, body, json })
}

/// The head of a reply.
pub(super) fn head(status: u16, headers: &[(String, String)], length: usize) -> Vec<u8> {
    let mut out = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n");
    if !headers.iter().any(|(name, _)| name == "content-type") {
        out.push_str("content-type: application/json\r\n");
    }
    for (name, value) in headers {
        out.push_str(&format!("{name}: {value}\r\n"));
    }
    out.push_str("\r\n");
    out.into_bytes()
}
