// Package version holds what differs between versions of Kubernetes in the heartbeats of nodes and in what listens to them:
// one table, in rows by version, each change with where upstream makes it and how that is known. The components take the
// [Behaviors] of their version and ask it, so that no version is compared anywhere else. It knows nothing of components.
package version

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
)

// Version is a release of Kubernetes 1, or the newest release of a series. The zero value is none.
type Version struct {
	// Minor is the 36 of 1.36.3.
	Minor int
	// Patch is the 3 of 1.36.3, or Newest.
	Patch int
}

// Newest as a patch is the last release of a series, with all that was backported to it: what "1.36" means.
const Newest = 1 << 15

// The series that the table knows. What lies in between is known too.
const (
	OldestSeries = 13
	NewestSeries = 37
)

// ParseError says why a text is no version that the table knows.
type ParseError struct {
	Text     string // as it was written
	Problem  string // what is wrong with it
	Accepted string // what would have been right
}

// Error gives one line.
func (e *ParseError) Error() string {
	return fmt.Sprintf("Kubernetes version %q %s; accepted: %s", e.Text, e.Problem, e.Accepted)
}

var (
	form     = regexp.MustCompile(`^v?1\.(0|[1-9]\d{0,2})(?:\.(0|[1-9]\d{0,2}))?$`)
	suffixed = regexp.MustCompile(`^v?1\.\d{1,3}\.\d{1,3}([-+]\S+)$`)
)

// Parse reads a version: "1.36", which is the newest release of that series, or "1.36.3", both with or without a v before
// it. The error is a *ParseError.
func Parse(text string) (Version, error) {
	accepted := fmt.Sprintf("1.%d to 1.%d, or a release of them such as 1.32.3", OldestSeries, NewestSeries)
	refuse := func(problem string) (Version, error) {
		return Version{}, &ParseError{Text: text, Problem: problem, Accepted: accepted}
	}
	parts := form.FindStringSubmatch(text)
	if parts == nil {
		if suffix := suffixed.FindStringSubmatch(text); suffix != nil {
			return refuse(fmt.Sprintf("has the suffix %q, and only releases are known", suffix[1]))
		}
		return refuse("is no version")
	}
	v := Version{Minor: number(parts[1]), Patch: Newest}
	if parts[2] != "" {
		v.Patch = number(parts[2])
	}
	switch {
	case v.Minor < OldestSeries:
		return refuse("is older than the table of versions")
	case v.Minor > NewestSeries:
		return refuse("is newer than the table of versions")
	}
	return v, nil
}

// number reads at most three digits.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		panic(err) // the form admits digits only
	}
	return n
}

// String gives "1.36.3", or "1.36" for the newest of the series.
func (v Version) String() string {
	if v.Patch == Newest {
		return fmt.Sprintf("1.%d", v.Minor)
	}
	return fmt.Sprintf("1.%d.%d", v.Minor, v.Patch)
}

// Compare is negative for a v older than w, 0 for the same, and positive for a newer one.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Minor, w.Minor), cmp.Compare(v.Patch, w.Patch))
}
