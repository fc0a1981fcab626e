//! Makes a [`Script`] of a text, by recursive descent.
//!
//! Source: the grammar of packetdrill (`parser.y`). Departures: keywords are not reserved; structures in braces may have
//! any fields; headers around a packet and the contents of UDP and ICMP packets are skipped, not read.

mod expression;
mod packet;

use crate::lexer::{self, Kind, ParseError, Token};
use crate::script::{Action, Call, Code, Command, Direction, Event, EventTime, Script, ScriptOption};

/// Symbols that a user defines (`-D NAME=value`): name and value, as in packetdrill.
pub type Definitions = Vec<(String, String)>;

/// Reads a script. `name` is the file's name, `definitions` the symbols that its words may stand for.
///
/// # Errors
/// What is expected and what is found, with line and column.
pub fn parse(name: &str, text: &str, definitions: &[(String, String)]) -> Result<Script, ParseError> {
    let tokens = lexer::tokens(text)?;
    let mut parser = Parser { tokens, at: 0, definitions: definitions.to_vec() };
    parser.script(name)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    definitions: Definitions,
}

type Parsed<T> = Result<T, ParseError>;

impl Parser {
    fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn kind(&self) -> &Kind {
        &self.token().kind
    }

    fn kind_after(&self, count: usize) -> &Kind {
        &self.tokens[(self.at + count).min(self.tokens.len() - 1)].kind
    }

    fn line(&self) -> u32 {
        self.token().line
    }

    fn advance(&mut self) -> Kind {
        let kind = self.kind().clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        kind
    }

    /// An error at the current token.
    fn expected<T>(&self, what: &str) -> Parsed<T> {
        Err(self.error(format!("expected {what}, found {}", self.kind().describe())))
    }

    fn error(&self, message: String) -> ParseError {
        ParseError { line: self.token().line, column: self.token().column, message }
    }

    fn is_mark(&self, mark: char) -> bool {
        *self.kind() == Kind::Mark(mark)
    }

    fn accept(&mut self, mark: char) -> bool {
        let is_there = self.is_mark(mark);
        if is_there {
            self.advance();
        }
        is_there
    }

    fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.accept(mark) { Ok(()) } else { self.expected(&format!("'{mark}'")) }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), Kind::Word(found) if found == word)
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let is_there = self.is_word(word);
        if is_there {
            self.advance();
        }
        is_there
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.accept_word(word) { Ok(()) } else { self.expected(&format!("'{word}'")) }
    }

    fn word(&mut self, what: &str) -> Parsed<String> {
        match self.kind().clone() {
            Kind::Word(word) => {
                self.advance();
                Ok(word)
            }
            _ => self.expected(what),
        }
    }

    fn integer(&mut self, what: &str) -> Parsed<i64> {
        match *self.kind() {
            Kind::Integer(_, value) => {
                self.advance();
                Ok(value)
            }
            _ => self.expected(what),
        }
    }

    /// A decimal number from 0 to `limit`.
    fn number_to(&mut self, limit: u32, what: &str) -> Parsed<u32> {
        let token = self.token().clone();
        let value = self.integer(what)?;
        u32::try_from(value).ok().filter(|value| *value <= limit).ok_or(ParseError {
            line: token.line,
            column: token.column,
            message: format!("{what} out of range: {value}; expected 0 to {limit}"),
        })
    }

    fn script(&mut self, name: &str) -> Parsed<Script> {
        let mut script = Script { name: name.to_owned(), ..Script::default() };
        while let Kind::Option(option) = self.kind().clone() {
            let line = self.line();
            self.advance();
            let value = if self.accept('=') { Some(self.option_value()?) } else { None };
            if option == "define"
                && let Some((symbol, value)) = value.as_deref().and_then(|text| text.split_once('='))
            {
                self.definitions.push((symbol.to_owned(), value.to_owned()));
            }
            script.options.push(ScriptOption { line, name: option, value });
        }
        self.replace_definitions()?;
        script.init = self.command();
        while *self.kind() != Kind::End {
            let is_cleanup = matches!(self.kind(), Kind::BackQuoted(_)) && *self.kind_after(1) == Kind::End;
            if is_cleanup && !script.events.is_empty() {
                script.cleanup = self.command();
            } else {
                let event = self.event()?;
                script.events.push(event);
            }
        }
        if script.events.is_empty() {
            return self.expected("an event");
        }
        check_times(&script.events)?;
        Ok(script)
    }

    fn option_value(&mut self) -> Parsed<String> {
        let text = match self.advance() {
            Kind::Word(text) | Kind::Float(text) | Kind::Integer(text, _) | Kind::Text(text) | Kind::Address(text) => {
                text
            }
            Kind::Hex(value) => format!("{value:#x}"),
            _ => {
                self.at -= 1;
                return self.expected("the option's value");
            }
        };
        if !self.accept('=') {
            return Ok(text);
        }
        let value = match self.advance() {
            Kind::Word(value) | Kind::Integer(value, _) => value,
            Kind::Text(value) => format!("\"{value}\""),
            Kind::BackQuoted(value) => format!("`{value}`"),
            _ => {
                self.at -= 1;
                return self.expected("the symbol's value");
            }
        };
        Ok(format!("{text}={value}"))
    }

    /// Replaces words that the user has defined by their values.
    fn replace_definitions(&mut self) -> Parsed<()> {
        for token in &mut self.tokens[self.at..] {
            let Kind::Word(word) = &token.kind else { continue };
            let Some((_, value)) = self.definitions.iter().rev().find(|(symbol, _)| symbol == word) else { continue };
            token.kind = if let Some(text) = value.strip_prefix('"') {
                Kind::Text(text.trim_end_matches('"').to_owned())
            } else if let Some(text) = value.strip_prefix('`') {
                Kind::BackQuoted(text.trim_end_matches('`').to_owned())
            } else {
                match value.parse() {
                    Ok(number) => Kind::Integer(value.clone(), number),
                    Err(_) => Kind::Word(value.clone()),
                }
            };
        }
        Ok(())
    }

    fn command(&mut self) -> Option<Command> {
        let line = self.line();
        match self.kind().clone() {
            Kind::BackQuoted(text) => {
                self.advance();
                Some(Command { line, text })
            }
            _ => None,
        }
    }

    fn event(&mut self) -> Parsed<Event> {
        let start = self.token().clone();
        let time = self.event_time()?;
        let line = start.line;
        let action = self.action()?;
        let is_outbound = matches!(&action, Action::Packet(packet) if packet.direction == Direction::Outbound);
        let is_exact = matches!(time, EventTime::Absolute(_) | EventTime::Relative(_));
        if !is_exact && !is_outbound {
            let what = if time == EventTime::Any { "the time '*'" } else { "a range of times" };
            let message = format!("{what} is for outbound packets only");
            return Err(ParseError { line, column: start.column, message });
        }
        Ok(Event { line, time, action })
    }

    fn event_time(&mut self) -> Parsed<EventTime> {
        let start = self.token().clone();
        if self.accept('*') {
            return Ok(EventTime::Any);
        }
        let is_relative = self.accept('+');
        let from = self.time("a time (0.1, +0.1 or *)")?;
        let time = if self.accept('~') {
            if is_relative {
                self.expect('+')?;
            }
            let to = self.time("the end of the range of times")?;
            if to < from {
                let message = "the range of times ends before it begins".to_owned();
                return Err(ParseError { line: start.line, column: start.column, message });
            }
            if is_relative { EventTime::RelativeRange(from, to) } else { EventTime::AbsoluteRange(from, to) }
        } else if is_relative {
            EventTime::Relative(from)
        } else {
            EventTime::Absolute(from)
        };
        Ok(time)
    }

    /// Seconds, as microseconds.
    fn time(&mut self, what: &str) -> Parsed<i64> {
        let text = match self.kind().clone() {
            Kind::Float(text) | Kind::Integer(text, _) => text,
            _ => return self.expected(what),
        };
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let micros: String = fraction.chars().chain("000000".chars()).take(6).collect();
        let whole: Option<i64> = if whole.is_empty() { Some(0) } else { whole.parse().ok() };
        let value = whole.and_then(|whole| whole.checked_mul(1_000_000)?.checked_add(micros.parse().ok()?));
        match value.filter(|_| !text.starts_with('-')) {
            Some(value) => {
                self.advance();
                Ok(value)
            }
            None => Err(self.error(format!("time out of range: {text}"))),
        }
    }

    fn action(&mut self) -> Parsed<Action> {
        let line = self.line();
        match self.kind().clone() {
            Kind::Mark('<' | '>') => Ok(Action::Packet(self.packet()?)),
            Kind::BackQuoted(text) => {
                self.advance();
                Ok(Action::Command(Command { line, text }))
            }
            Kind::Code(text) => {
                self.advance();
                Ok(Action::Code(Code { line, text }))
            }
            Kind::Ellipsis => {
                self.advance();
                let end = self.time("the time at which the call returns")?;
                Ok(Action::Call(self.call(Some(end))?))
            }
            Kind::Word(_) => Ok(Action::Call(self.call(None)?)),
            _ => self.expected("a packet, a system call, a command in backticks or a code block"),
        }
    }

    fn call(&mut self, end: Option<i64>) -> Parsed<Call> {
        let name = self.word("a system call")?;
        self.expect('(')?;
        let arguments = self.list(')')?;
        self.expect('=')?;
        let result = self.expression()?;
        let error = match self.kind() {
            Kind::Word(_) => Some(self.word("an errno")?),
            _ => None,
        };
        if self.is_mark('(') {
            while !self.accept(')') {
                if *self.kind() == Kind::End {
                    return self.expected("')'");
                }
                self.advance();
            }
        }
        Ok(Call { end, name, arguments, result, error })
    }
}

/// Absolute times must not go back, and the first one is 0.
fn check_times(events: &[Event]) -> Parsed<()> {
    let error = |line, message: String| Err(ParseError { line, column: 1, message });
    let absolute = |time| match time {
        EventTime::Absolute(at) | EventTime::AbsoluteRange(at, _) => Some(at),
        _ => None,
    };
    if !matches!(events[0].time, EventTime::Absolute(0) | EventTime::Relative(0)) {
        return error(events[0].line, "the first event must be at time 0".to_owned());
    }
    for pair in events.windows(2) {
        if let (Some(earlier), Some(later)) = (absolute(pair[0].time), absolute(pair[1].time))
            && later < earlier
        {
            let message = format!("time goes back, from {:.6} s to {:.6} s", earlier as f64 / 1e6, later as f64 / 1e6);
            return error(pair[1].line, message);
        }
    }
    Ok(())
}
