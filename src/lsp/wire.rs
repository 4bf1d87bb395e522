//! Messages on two streams: a header with the length, then JSON.
//!
//! `lsp-server` would read them too, but it reads numbers in a way that fails where JSON keeps all digits of a number, as
//! it does in this crate; a message is therefore read as a JSON value first. What is no message is told and passed over.

use crossbeam_channel::{Receiver, Sender};
use lsp_server::{Connection, ErrorCode, Message, Response};
use std::io::{self, BufRead, Write};

/// Longest message that is read (bytes).
const LONGEST: usize = 256_000_000;

/// A connection over two streams, and what to wait for at the end so that all is written.
pub(super) fn connect(
    mut from: impl BufRead + Send + 'static,
    mut to: impl Write + Send + 'static,
) -> (Connection, std::thread::JoinHandle<()>) {
    let (server, client) = Connection::memory();
    let Connection { sender, receiver } = client;
    let answers = server.sender.clone();
    std::thread::spawn(move || read_all(&mut from, &sender, &answers));
    let writer = std::thread::spawn(move || write_all(&mut to, &receiver));
    (server, writer)
}

fn read_all(from: &mut impl BufRead, to: &Sender<Message>, answers: &Sender<Message>) {
    while let Ok(Some(text)) = read(from) {
        match serde_json::from_slice::<serde_json::Value>(&text).and_then(serde_json::from_value::<Message>) {
            Ok(message) => {
                let exit = matches!(&message, Message::Notification(n) if n.method == "exit");
                if to.send(message).is_err() || exit {
                    return;
                }
            }
            Err(error) => {
                let parse = ErrorCode::ParseError as i32;
                let answer = Response::new_err(0.into(), parse, format!("this is no message: {error}"));
                let _ = answers.send(answer.into());
            }
        }
    }
}

/// The body of the next message; `None` at the end.
fn read(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            match length {
                Some(_) => break,
                None => continue,
            }
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok().filter(|n| *n <= LONGEST);
        }
    }
    let mut body = vec![0; length.unwrap_or(0)];
    from.read_exact(&mut body)?;
    Ok(Some(body))
}

fn write_all(to: &mut impl Write, from: &Receiver<Message>) {
    for message in from {
        let Ok(mut value) = serde_json::to_value(&message) else { continue };
        if let Some(object) = value.as_object_mut() {
            object.insert("jsonrpc".to_owned(), "2.0".into());
        }
        let body = value.to_string();
        if write!(to, "Content-Length: {}\r\n\r\n{body}", body.len()).and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_whole_and_numbers_as_numbers() {
        let body = r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"line":3}}"#;
        let text = format!("Content-Type: x\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let mut from = io::Cursor::new(text);
        let bytes = read(&mut from).unwrap().unwrap();
        let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let Message::Request(request) = serde_json::from_value(value).unwrap() else { panic!("no request") };
        assert_eq!(request.id, 7.into());
        assert!(read(&mut from).unwrap().is_none());
    }
}
