package midend

import (
	"errors"
	"fmt"

	"github.com/millrace-hdl/millrace/idma/backend"
)

// inFlight is n, or what it stands for where it is 0.
func inFlight(n int, b backend.Config) int {
	if n > 0 {
		return n
	}
	return min(3*b.Outstanding+16, 1024)
}

// validation collects parameters out of range.
type validation struct{ errs []error }

func (v *validation) check(ok bool, field string, value any, format string, args ...any) {
	if !ok {
		v.errs = append(v.errs, &backend.FieldError{Field: field, Value: value, Allowed: fmt.Sprintf(format, args...)})
	}
}

func (v *validation) between(field string, x, lo, hi int) {
	v.check(lo <= x && x <= hi, field, x, "%d to %d", lo, hi)
}

// dims checks the dimensions of requests, at least so many, and the widths of repetition
// counts.
func (v *validation) dims(dims, least int, w Widths) {
	v.between("Dims", dims, least, maxLoops+1)
	n := w.count()
	v.check(dims < least || n == 1 || n == dims-1, "RepsWidths", w, "one width, or one for each loop, of which there are %d", dims-1)
	for i, x := range w {
		v.check(x <= 32 && (i < n || x == 0), "RepsWidths", w, "1 to 32 bits each, without gaps")
	}
}

// with adds those of the back-end, and is the error of all.
func (v *validation) with(b backend.Config) error {
	if err := b.Validate(); err != nil {
		v.errs = append(v.errs, fmt.Errorf("in Backend: %w", err))
	}
	return errors.Join(v.errs...)
}
