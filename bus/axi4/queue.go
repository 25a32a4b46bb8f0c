package axi4

// queue is a list that is mostly taken from the front. It reuses its storage.
type queue[T any] struct {
	buf  []T
	head int
}

func (q *queue[T]) len() int    { return len(q.buf) - q.head }
func (q *queue[T]) at(i int) *T { return &q.buf[q.head+i] }
func (q *queue[T]) reset()      { q.buf, q.head = q.buf[:0], 0 }

func (q *queue[T]) push(v T) {
	if q.head > 0 && len(q.buf) == cap(q.buf) {
		n := copy(q.buf, q.buf[q.head:])
		q.buf, q.head = q.buf[:n], 0
	}
	q.buf = append(q.buf, v)
}

func (q *queue[T]) remove(i int) {
	if i > 0 {
		copy(q.buf[q.head+1:], q.buf[q.head:q.head+i])
	}
	q.head++
	if q.head == len(q.buf) {
		q.reset()
	}
}
