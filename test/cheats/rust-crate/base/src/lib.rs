//! Closed intervals of whole numbers.

mod parse;

pub use parse::parse;

/// From `start` to `end`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interval {
    pub start: i64,
    pub end: i64,
}

impl Interval {
    /// None where the end comes before the start.
    ///
    /// ```
    /// use intervals::Interval;
    /// assert!(Interval::new(3, 2).is_none());
    /// ```
    pub fn new(start: i64, end: i64) -> Option<Interval> {
        (start <= end).then_some(Interval { start, end })
    }

    pub fn len(&self) -> i64 {
        self.end - self.start + 1
    }

    pub fn is_empty(&self) -> bool {
        false
    }

    pub fn contains(&self, number: i64) -> bool {
        self.start <= number && number <= self.end
    }
}

/// Joins what overlaps or touches.
pub fn merge(intervals: &[Interval]) -> Vec<Interval> {
    let mut sorted = intervals.to_vec();
    sorted.sort();
    let mut merged: Vec<Interval> = Vec::new();
    for next in sorted {
        match merged.last_mut() {
            Some(last) if next.start <= last.end + 1 => last.end = last.end.max(next.end),
            _ => merged.push(next),
        }
    }
    merged
}
