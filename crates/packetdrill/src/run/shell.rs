//! The part of the shell's language that scripts use: simple commands, quotes, products in `$((…))`, redirections.

/// Splits `text` into commands, each a list of words. Redirections and comments are removed.
pub(super) fn commands(text: &str) -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    let text = text.replace("\\\n", " ").replace("2>&1", " ").replace("&>", ">");
    let mut rest = text.as_str();
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        let Some(first) = rest.chars().next() else { break };
        match first {
            '\n' | ';' | '&' | '|' => {
                found.push(Vec::new());
                rest = &rest[1..];
            }
            '#' => rest = &rest[rest.find('\n').unwrap_or(rest.len())..],
            _ => {
                let (word, after) = word(rest);
                rest = after;
                let words = found.last_mut().expect("there is always a last command");
                match word.trim_start_matches(['1', '2']).strip_prefix('>') {
                    // The file's name is in the next word.
                    Some("") => rest = self::word(rest.trim_start()).1,
                    Some(_) => {}
                    None => words.push(word),
                }
            }
        }
    }
    found.retain(|words| !words.is_empty());
    found
}

/// The word that `text` begins with, without quotes, and the rest.
fn word(text: &str) -> (String, &str) {
    let mut word = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() || matches!(first, ';' | '&' | '|') {
            break;
        }
        if let Some((value, after)) = product(rest) {
            word.push_str(&value);
            rest = after;
        } else if first == '"' || first == '\'' {
            rest = &rest[1..];
            while let Some(inner) = rest.chars().next() {
                if inner == first {
                    rest = &rest[1..];
                    break;
                }
                match product(rest) {
                    Some((value, after)) => {
                        word.push_str(&value);
                        rest = after;
                    }
                    None => {
                        word.push(inner);
                        rest = &rest[inner.len_utf8()..];
                    }
                }
            }
        } else {
            word.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    (word, rest)
}

/// The value of `$((a*b))` at the start of `text`, and the rest.
fn product(text: &str) -> Option<(String, &str)> {
    let (inside, rest) = text.strip_prefix("$((")?.split_once("))")?;
    let mut value = 1_i64;
    for factor in inside.split('*') {
        value = value.checked_mul(factor.trim().parse().ok()?)?;
    }
    Some((value.to_string(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_quotes_and_products() {
        let found =
            commands("a.sh\n sysctl -q x.y=\"1 2 $((3*4*5))\" # note\nset p=1 \\\n q=2 > /dev/null 2>&1; tc a && b");
        assert_eq!(
            found,
            [vec!["a.sh"], vec!["sysctl", "-q", "x.y=1 2 60"], vec!["set", "p=1", "q=2"], vec!["tc", "a"], vec!["b"],]
        );
    }
}
