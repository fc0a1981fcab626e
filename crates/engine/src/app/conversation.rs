//! What the applications of a two-way connection have in common: a client that asks, and a server that answers.

use crate::measure::playback::Playback;

/// A side of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Sends requests.
    Client,
    /// Sends responses.
    Server,
}

/// An action that is due after a delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// The client sends a request.
    Ask,
    /// The server sends a response.
    Answer,
    /// The client closes the connection.
    Close,
}

/// What a client that may ask does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ask {
    /// It sends a request of this many bytes.
    Now(i64),
    /// It asks after this many seconds.
    After(f64),
    /// It asks no more.
    Never,
}

/// A client and a server. It sees bytes and times, never packets.
pub trait Conversation: Send + Sync {
    /// The client may ask at `now_s`.
    fn ask(&mut self, now_s: f64) -> Ask;

    /// Bytes of the response that the server sends now.
    fn response_bytes(&self) -> i64;

    /// A side has received `bytes` at `now_s`. Returns the action that follows, and its delay in seconds.
    fn receive(&mut self, by: Side, bytes: i64, now_s: f64) -> Option<(Step, f64)>;

    /// Stops the client. Returns whether it closes the connection now, because no response is outstanding.
    fn stop(&mut self, now_s: f64) -> bool;

    /// Whether the client has received all that it is there for.
    fn is_over(&self) -> bool;

    /// What a player has played until `now_s`; `None` for what is no video.
    fn playback(&mut self, now_s: f64) -> Option<Playback> {
        let _ = now_s;
        None
    }
}
