//! Text of a trace as messages show it.

/// A line as error messages show it.
pub(crate) fn shown(line: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(&line[..line.len().min(60)]).chars().map(printable).collect();
    if line.len() > 60 { text + "..." } else { text }
}

fn printable(letter: char) -> char {
    if is_hidden(letter) { '?' } else { letter }
}

/// Whether a terminal or browser interprets a character instead of displaying it: control characters, and bidirectional
/// controls (Unicode Standard Annex #9, section 2), which can disguise a text.
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
