package mem

// ring is a first-in first-out buffer of fixed capacity.
type ring[T any] struct {
	buf         []T
	head, count int
}

func newRing[T any](n int) ring[T] { return ring[T]{buf: make([]T, n)} }

func (r *ring[T]) full() bool { return r.count == len(r.buf) }

// at is the entry i places behind the front.
func (r *ring[T]) at(i int) *T {
	i += r.head
	if i >= len(r.buf) {
		i -= len(r.buf)
	}
	return &r.buf[i]
}

func (r *ring[T]) push(v T) {
	r.count++
	*r.at(r.count - 1) = v
}

func (r *ring[T]) pop() {
	if r.head++; r.head == len(r.buf) {
		r.head = 0
	}
	r.count--
}

func (r *ring[T]) clear() { r.head, r.count = 0, 0 }
