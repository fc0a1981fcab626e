//! The subset of Python in scripts' code blocks: assertions about numbers, assignments and `print`.
//!
//! Statements: `assert EXPRESSION[, MESSAGE]`, `NAME = EXPRESSION`, `NAME += EXPRESSION` and the like, `print(…)`. Expressions: integers, names, arithmetic, bit operations, comparisons (also chained), `and`, `or`,
//! `not`, conversions `int(…)`, and strings with `%` in messages. Anything else is reported by name.

use std::collections::HashMap;

/// Why a block did not go through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// An assertion is false: its text, and the message's value.
    Assertion(String, String),
    /// The evaluator does not know this.
    Unknown(String),
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Number(f64),
    Integer(i128),
    Text(String),
    Tuple(Vec<Value>),
}

impl Value {
    fn is_true(&self) -> bool {
        match self {
            Value::Number(number) => *number != 0.0,
            Value::Integer(number) => *number != 0,
            Value::Text(text) => !text.is_empty(),
            Value::Tuple(items) => !items.is_empty(),
        }
    }

    fn show(&self) -> String {
        match self {
            Value::Number(number) => number.to_string(),
            Value::Integer(number) => number.to_string(),
            Value::Text(text) => text.clone(),
            Value::Tuple(items) => format!("({})", items.iter().map(Value::show).collect::<Vec<_>>().join(", ")),
        }
    }

    fn float(&self) -> Result<f64, Failure> {
        match self {
            Value::Number(number) => Ok(*number),
            Value::Integer(number) => Ok(*number as f64),
            _ => Err(unknown("arithmetic of strings")),
        }
    }
}

fn unknown(what: impl Into<String>) -> Failure {
    Failure::Unknown(what.into())
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64),
    Integer(i128),
    Name(String),
    Text(String),
    Sign(&'static str),
}

/// Operators, the longer ones first.
const SIGNS: &[&str] = &[
    "//=", "<<=", ">>=", "**", "==", "!=", "<=", ">=", "<<", ">>", "//", "+=", "-=", "*=", "/=", "|=", "&=", "<", ">",
    "=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "(", ")", ",",
];

/// The names that a script's blocks assign, which later blocks read.
pub(super) type Variables = HashMap<String, i64>;

/// Runs a block. `named` gives the value of a name that no block has assigned; `printed` receives what it prints.
///
/// # Errors
/// The assertion that failed, or what the evaluator does not know.
pub(super) fn run(
    text: &str,
    variables: &mut Variables,
    named: &dyn Fn(&str) -> Option<i64>,
    printed: &mut Vec<String>,
) -> Result<(), Failure> {
    for statement in statements(text) {
        let tokens = tokens(&statement)?;
        Evaluator { tokens: &tokens, at: 0, variables, named, printed }.statement(&statement)?;
    }
    Ok(())
}

/// Splits at ends of lines and semicolons; a line that ends in a backslash or inside brackets goes on.
fn statements(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let (mut depth, mut quote, mut is_comment) = (0_i32, None, false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let last = found.last_mut().expect("there is always a last statement");
        if is_comment {
            is_comment = character != '\n';
            if is_comment {
                continue;
            }
        }
        match (quote, character) {
            (Some(open), _) => {
                last.push(character);
                if character == open {
                    quote = None;
                }
            }
            (None, '\\') if characters.peek() == Some(&'\n') => {
                characters.next();
                last.push(' ');
            }
            (None, '#') => is_comment = true,
            (None, ';') => found.push(String::new()),
            (None, '\n') if depth <= 0 => found.push(String::new()),
            (None, _) => {
                match character {
                    '(' | '[' => depth += 1,
                    ')' | ']' => depth -= 1,
                    '\'' | '"' => quote = Some(character),
                    _ => {}
                }
                last.push(character);
            }
        }
    }
    found.into_iter().map(|statement| statement.trim().to_owned()).filter(|statement| !statement.is_empty()).collect()
}

fn tokens(text: &str) -> Result<Vec<Token>, Failure> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let bytes;
        if first.is_ascii_digit() {
            bytes = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_').unwrap_or(rest.len());
            let digits = rest[..bytes].replace('_', "");
            let integer = match digits.strip_prefix("0x") {
                Some(hex) => i128::from_str_radix(hex, 16).ok(),
                None => digits.parse().ok(),
            };
            found.push(match (integer, digits.parse()) {
                (Some(value), _) => Token::Integer(value),
                (None, Ok(value)) => Token::Number(value),
                _ => return Err(unknown(format!("'{digits}' in a code block"))),
            });
        } else if first.is_alphabetic() || first == '_' {
            bytes = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            found.push(Token::Name(rest[..bytes].to_owned()));
        } else if first == '\'' || first == '"' {
            let Some(end) = rest[1..].find(first) else { return Err(unknown("a string without an end")) };
            found.push(Token::Text(rest[1..=end].to_owned()));
            bytes = end + 2;
        } else {
            let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) else {
                return Err(unknown(format!("'{first}' in a code block")));
            };
            found.push(Token::Sign(sign));
            bytes = sign.len();
        }
        rest = rest[bytes..].trim_start();
    }
    Ok(found)
}

struct Evaluator<'a> {
    tokens: &'a [Token],
    at: usize,
    variables: &'a mut Variables,
    named: &'a dyn Fn(&str) -> Option<i64>,
    printed: &'a mut Vec<String>,
}

type Evaluated = Result<Value, Failure>;

impl Evaluator<'_> {
    fn sign(&self) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some(Token::Sign(sign)) => Some(sign),
            _ => None,
        }
    }

    fn accept(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        let sign = self.sign().filter(|sign| signs.contains(sign))?;
        self.at += 1;
        Some(sign)
    }

    fn accept_name(&mut self, name: &str) -> bool {
        let is_there = matches!(self.tokens.get(self.at), Some(Token::Name(found)) if found == name);
        self.at += usize::from(is_there);
        is_there
    }

    fn statement(&mut self, text: &str) -> Result<(), Failure> {
        if self.accept_name("assert") {
            let start = self.at;
            let value = self.condition()?;
            let condition = self.at - start;
            let message = if self.accept(&[","]).is_some() { self.condition()?.show() } else { String::new() };
            self.end(text)?;
            if value.is_true() || condition == 0 {
                return Ok(());
            }
            return Err(Failure::Assertion(text.to_owned(), message));
        }
        if self.accept_name("print") && self.accept(&["("]).is_some() {
            let line = self.items()?.iter().map(Value::show).collect::<Vec<_>>().join(" ");
            self.end(text)?;
            self.printed.push(line);
            return Ok(());
        }
        if let [Token::Name(name), Token::Sign(sign), ..] = self.tokens
            && let Some(operator) = sign.strip_suffix('=').filter(|op| !["=", "!", "<", ">"].contains(op))
        {
            self.at = 2;
            let mut value = self.condition()?;
            self.end(text)?;
            if !operator.is_empty() {
                value = operate(operator, &self.name(name)?, &value)?;
            }
            let Value::Integer(number) = value else { return Err(unknown(format!("the statement '{text}'"))) };
            let number = i64::try_from(number).map_err(|_| unknown("a number of more than 64 bits"))?;
            self.variables.insert(name.clone(), number);
            return Ok(());
        }
        Err(unknown(format!("the statement '{text}' in a code block")))
    }

    fn end(&self, text: &str) -> Result<(), Failure> {
        if self.at == self.tokens.len() {
            Ok(())
        } else {
            Err(unknown(format!("the statement '{text}' in a code block")))
        }
    }

    fn name(&self, name: &str) -> Evaluated {
        let constant = match name {
            "True" => Some(1),
            "False" | "None" => Some(0),
            _ => self.variables.get(name).copied().or_else(|| (self.named)(name)),
        };
        constant
            .map(|value| Value::Integer(i128::from(value)))
            .ok_or_else(|| unknown(format!("the name {name} in a code block")))
    }

    fn condition(&mut self) -> Evaluated {
        let mut value = self.conjunction()?;
        while self.accept_name("or") {
            let right = self.conjunction()?;
            value = if value.is_true() { value } else { right };
        }
        Ok(value)
    }

    fn conjunction(&mut self) -> Evaluated {
        let mut value = self.negation()?;
        while self.accept_name("and") {
            let right = self.negation()?;
            value = if value.is_true() { right } else { value };
        }
        Ok(value)
    }

    fn negation(&mut self) -> Evaluated {
        if self.accept_name("not") {
            return Ok(Value::Integer(i128::from(!self.negation()?.is_true())));
        }
        let mut left = self.binary(0)?;
        let mut is_true = None;
        while let Some(sign) = self.accept(&["==", "!=", "<=", ">=", "<", ">"]) {
            let right = self.binary(0)?;
            let holds = match (&left, &right) {
                (Value::Integer(a), Value::Integer(b)) => compare(sign, a.cmp(b)),
                _ => left.float()?.partial_cmp(&right.float()?).is_some_and(|order| compare(sign, order)),
            };
            is_true = Some(is_true.unwrap_or(true) && holds);
            left = right;
        }
        Ok(is_true.map_or(left, |holds| Value::Integer(i128::from(holds))))
    }

    /// Binary operators by their precedence, the weakest first.
    fn binary(&mut self, level: usize) -> Evaluated {
        const LEVELS: [&[&str]; 6] = [&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "//", "%"]];
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut value = self.binary(level + 1)?;
        while let Some(sign) = self.accept(signs) {
            value = operate(sign, &value, &self.binary(level + 1)?)?;
        }
        Ok(value)
    }

    fn unary(&mut self) -> Evaluated {
        if self.accept(&["-"]).is_some() {
            return operate("-", &Value::Integer(0), &self.unary()?);
        }
        if self.accept(&["+"]).is_some() {
            return self.unary();
        }
        if self.accept(&["~"]).is_some() {
            return operate("-", &Value::Integer(-1), &self.unary()?);
        }
        let base = self.operand()?;
        if self.accept(&["**"]).is_some() {
            return operate("**", &base, &self.unary()?);
        }
        Ok(base)
    }

    fn operand(&mut self) -> Evaluated {
        let token = self.tokens.get(self.at).cloned().ok_or_else(|| unknown("a code block that ends early"))?;
        self.at += 1;
        match token {
            Token::Number(value) => Ok(Value::Number(value)),
            Token::Integer(value) => Ok(Value::Integer(value)),
            Token::Text(text) => Ok(Value::Text(text)),
            Token::Name(name)
                if self.sign() == Some("(") && ["int", "float", "abs", "min", "max", "str"].contains(&&*name) =>
            {
                self.at += 1;
                let items = self.items()?;
                function(&name, &items)
            }
            Token::Name(name) => self.name(&name),
            Token::Sign("(") => {
                let mut items = self.items()?;
                Ok(if items.len() == 1 { items.remove(0) } else { Value::Tuple(items) })
            }
            Token::Sign(sign) => Err(unknown(format!("'{sign}' in a code block"))),
        }
    }

    fn items(&mut self) -> Result<Vec<Value>, Failure> {
        let mut items = Vec::new();
        while self.accept(&[")"]).is_none() {
            items.push(self.condition()?);
            if self.accept(&[","]).is_none() && self.sign() != Some(")") {
                return Err(unknown("brackets without an end in a code block"));
            }
        }
        Ok(items)
    }
}

fn compare(sign: &str, order: std::cmp::Ordering) -> bool {
    match sign {
        "==" => order.is_eq(),
        "!=" => order.is_ne(),
        "<=" => order.is_le(),
        ">=" => order.is_ge(),
        "<" => order.is_lt(),
        _ => order.is_gt(),
    }
}

fn operate(sign: &str, left: &Value, right: &Value) -> Evaluated {
    if let (Value::Text(format), "%") = (left, sign) {
        return Ok(Value::Text(format_text(format, right)));
    }
    let refused = || unknown(format!("'{sign}' of such values in a code block"));
    let (Value::Integer(a), Value::Integer(b)) = (left, right) else {
        let (a, b) = (left.float()?, right.float()?);
        return Ok(Value::Number(match sign {
            "+" => a + b,
            "-" => a - b,
            "*" => a * b,
            "/" => a / b,
            "//" => (a / b).floor(),
            "**" => a.powf(b),
            _ => return Err(refused()),
        }));
    };
    let shift = || u32::try_from(*b).map_err(|_| refused());
    let value = match sign {
        "+" => a.checked_add(*b),
        "-" => a.checked_sub(*b),
        "*" => a.checked_mul(*b),
        "/" if *b != 0 => return Ok(Value::Number(*a as f64 / *b as f64)),
        // Python rounds down, and its remainder has the divisor's sign.
        "//" if *b != 0 => Some((a - (a % b + b) % b) / b),
        "%" if *b != 0 => Some((a % b + b) % b),
        "**" => a.checked_pow(shift()?),
        "<<" => a.checked_shl(shift()?),
        ">>" => a.checked_shr(shift()?),
        "&" => Some(a & b),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        _ => None,
    };
    value.map(Value::Integer).ok_or_else(refused)
}

fn function(name: &str, items: &[Value]) -> Evaluated {
    let refused = || unknown(format!("{name}(…) of such values in a code block"));
    let first = items.first().ok_or_else(refused)?;
    Ok(match name {
        "str" => Value::Text(first.show()),
        "float" => Value::Number(first.float()?),
        "int" => Value::Integer(first.float()?.trunc() as i128),
        "abs" => match first {
            Value::Integer(value) => Value::Integer(value.abs()),
            other => Value::Number(other.float()?.abs()),
        },
        _ => {
            let mut best = first.clone();
            for item in items {
                let is_better =
                    if name == "min" { item.float()? < best.float()? } else { item.float()? > best.float()? };
                if is_better {
                    best = item.clone();
                }
            }
            best
        }
    })
}

/// Python's `%` for the conversions that messages use: each takes the next value.
fn format_text(format: &str, values: &Value) -> String {
    let values = match values {
        Value::Tuple(items) => items.clone(),
        single => vec![single.clone()],
    };
    let mut values = values.iter();
    let mut text = String::new();
    let mut characters = format.chars();
    while let Some(character) = characters.next() {
        if character != '%' {
            text.push(character);
            continue;
        }
        match characters.by_ref().find(|c| c.is_alphabetic() || *c == '%') {
            Some('%') | None => text.push('%'),
            Some(_) => text.push_str(&values.next().map_or_else(String::new, Value::show)),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<(), Failure> {
        let mut variables = Variables::new();
        run(text, &mut variables, &|name| (name == "tcpi_snd_cwnd").then_some(10), &mut Vec::new())
    }

    // The values are those of Python 3.
    #[test]
    fn expressions_as_in_python() {
        for holds in [
            "assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd",
            "assert 5 <= tcpi_snd_cwnd < 11",
            "assert (tcpi_snd_cwnd & 2) != 0 and not tcpi_snd_cwnd > 10",
            "assert -7 // 2 == -4 and -7 % 3 == 2 and 7 / 2 == 3.5 and 2 ** 10 == 0x400",
            "cwnd = 4; cwnd += 6; assert cwnd == tcpi_snd_cwnd, 'cwnd=%d' % cwnd",
            "x = 1 # one\nassert x == 1, \\\n x\nprint(x, 'a;b')",
            "assert 1 < 2 == 2 | 0",
            "assert max(1, 3) == 3 and int(3.9) == 3",
        ] {
            assert_eq!(check(holds), Ok(()), "{holds}");
        }
    }

    #[test]
    fn print_joins_its_arguments() {
        let mut printed = Vec::new();
        run("print(1, 'a', 2 ** 3)\nprint()", &mut Variables::new(), &|_| None, &mut printed).unwrap();
        assert_eq!(printed, ["1 a 8", ""]);
    }

    #[test]
    fn failures_say_why() {
        let text = "assert tcpi_snd_cwnd == 9, 'cwnd=%d of %s' % (tcpi_snd_cwnd, 9)";
        assert_eq!(check(text), Err(Failure::Assertion(text.to_owned(), "cwnd=10 of 9".to_owned())));
        assert_eq!(check("assert tcpi_x == 1"), Err(unknown("the name tcpi_x in a code block")));
        assert_eq!(check("import os"), Err(unknown("the statement 'import os' in a code block")));
    }
}
