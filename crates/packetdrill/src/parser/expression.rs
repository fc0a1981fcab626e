//! Arguments and results of system calls.

use super::{Parsed, Parser};
use crate::lexer::Kind;
use crate::script::{Expression, Field};

impl Parser {
    /// Expressions up to the closing mark, which is removed.
    pub(super) fn list(&mut self, close: char) -> Parsed<Vec<Expression>> {
        let mut items = Vec::new();
        if self.accept(close) {
            return Ok(items);
        }
        loop {
            items.push(self.expression()?);
            if self.accept(close) {
                return Ok(items);
            }
            if !self.accept(',') {
                return self.expected(&format!("',' or '{close}'"));
            }
        }
    }

    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        let mut value = self.operand()?;
        while self.accept('|') {
            value = Expression::Or(Box::new(value), Box::new(self.operand()?));
        }
        Ok(value)
    }

    fn operand(&mut self) -> Parsed<Expression> {
        match self.kind().clone() {
            Kind::Ellipsis => {
                self.advance();
                Ok(Expression::Ellipsis)
            }
            Kind::Integer(_, value) | Kind::Hex(value) => {
                self.advance();
                Ok(Expression::Integer(value))
            }
            Kind::Text(_) => Ok(self.text()),
            Kind::Word(word) => {
                self.advance();
                if self.accept('(') {
                    return Ok(Expression::Function(word, self.list(')')?));
                }
                Ok(Expression::Word(word))
            }
            Kind::Mark('[') => {
                self.advance();
                Ok(Expression::List(self.list(']')?))
            }
            Kind::Mark('{') => {
                self.advance();
                self.structure()
            }
            _ => self.expected("a value"),
        }
    }

    /// Strings that follow each other are one; an ellipsis after the last one is ignored.
    fn text(&mut self) -> Expression {
        let mut whole = String::new();
        while let Kind::Text(part) = self.kind().clone() {
            whole.push_str(&part);
            self.advance();
        }
        if *self.kind() == Kind::Ellipsis {
            self.advance();
        }
        Expression::Text(whole)
    }

    fn structure(&mut self) -> Parsed<Expression> {
        let mut fields = Vec::new();
        if self.accept('}') {
            return Ok(Expression::Structure(fields));
        }
        loop {
            let value = self.expression()?;
            let name = match &value {
                Expression::Word(name) | Expression::Function(name, _) => Some(name.clone()),
                _ => None,
            };
            if name.is_some() && self.accept('=') {
                fields.push(Field { name, value: self.expression()? });
            } else {
                fields.push(Field { name: None, value });
            }
            if self.accept('}') {
                return Ok(Expression::Structure(fields));
            }
            if !self.accept(',') {
                return self.expected("',' or '}'");
            }
        }
    }
}
