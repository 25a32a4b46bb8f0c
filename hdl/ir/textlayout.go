package ir

import "strings"

// textWidth is the column that the layout tries to stay below.
const textWidth = 100

// cell is one parenthesised list, or an atom, before line breaking.
type cell struct {
	atom    string
	list    []cell
	head    int    // operands that stay on the first line when the list is broken
	tall    bool   // always broken: one item a line after the head
	post    string // ranges after the list or atom
	comment string // goes to the end of the line on which the list ends or breaks
	flat    int    // width on one line; 0 if it cannot be on one line
}

func atom(s string) cell { return cell{atom: s, flat: len(s)} }

// list is a list whose head items stay together if it must be broken.
func list(head int, items ...cell) cell {
	c := cell{list: items, head: head, flat: 1 + len(items)}
	for _, i := range items {
		if i.flat == 0 || i.comment != "" {
			c.flat, c.tall = 0, true
			return c
		}
		c.flat += i.flat
	}
	return c
}

// block is a list that is always broken after its head, unless nothing follows it.
func block(head int, items ...cell) cell {
	c := list(head, items...)
	if len(items) > head {
		c.tall, c.flat = true, 0
	}
	return c
}

func (c cell) with(post string) cell {
	c.post += post
	if c.flat > 0 {
		c.flat += len(post)
	}
	return c
}

func (c cell) at(comment string) cell {
	c.comment = comment
	return c
}

func (c cell) flatten(b *strings.Builder) {
	if c.list == nil {
		b.WriteString(c.atom + c.post)
		return
	}
	b.WriteByte('(')
	for i, k := range c.list {
		if i > 0 {
			b.WriteByte(' ')
		}
		k.flatten(b)
	}
	b.WriteString(")" + c.post)
}

// layout breaks cells into lines.
type layout struct {
	b       strings.Builder
	comment string // pending until the line ends
}

func (l *layout) String() string { return l.b.String() }

func (l *layout) newline(indent int) {
	if l.comment != "" {
		l.b.WriteString(" ; " + l.comment)
		l.comment = ""
	}
	l.b.WriteByte('\n')
	for range indent {
		l.b.WriteByte(' ')
	}
}

// line prints c as lines of its own at the left margin.
func (l *layout) line(c cell) {
	l.cell(c, 0)
	l.newline(0)
}

// maxIndent bounds the indentation, so that deep nesting costs no long lines.
const maxIndent = 40

func (l *layout) cell(c cell, indent int) {
	if c.comment != "" {
		l.comment = c.comment
	}
	if c.list == nil || c.flat > 0 && !c.tall && indent+c.flat <= textWidth {
		c.flatten(&l.b)
		return
	}
	inner := min(indent+2, maxIndent)
	l.b.WriteByte('(')
	for i, k := range c.list {
		if i >= c.head {
			l.newline(inner)
		} else if i > 0 {
			l.b.WriteByte(' ')
		}
		l.cell(k, inner)
	}
	l.b.WriteString(")" + c.post)
}
