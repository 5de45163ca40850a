package chromium

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// maxMessage is the largest message that is read of the browser: a picture in base64, with room.
const maxMessage = 48 << 20

// errGone is what calls answer once the browser has ended.
var errGone = errors.New("the browser has ended")

// pipe speaks the DevTools protocol over a pair of pipes, which no other process can open: JSON, ended by a zero byte.
type pipe struct {
	in io.WriteCloser

	mu      sync.Mutex
	last    int
	waiting map[int]chan<- message
	// events are told what happens in the session that they are kept under; they must not wait for an answer.
	events map[string]func(method string, params json.RawMessage)
	gone   chan struct{} // is closed when the browser says nothing more

	answered atomic.Bool // whether it has said anything
}

type message struct {
	ID        int             `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

func newPipe(in io.WriteCloser, out io.Reader) *pipe {
	p := &pipe{
		in: in, waiting: map[int]chan<- message{}, events: map[string]func(string, json.RawMessage){},
		gone: make(chan struct{}),
	}
	go p.read(out)
	return p
}

// read hands on what the browser says until it ends.
func (p *pipe) read(out io.Reader) {
	defer close(p.gone)
	lines := bufio.NewScanner(out)
	lines.Buffer(make([]byte, 0, 64<<10), maxMessage)
	lines.Split(splitAtZero)
	for lines.Scan() {
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return
		}
		p.answered.Store(true)
		p.mu.Lock()
		waiting, event := p.waiting[m.ID], p.events[m.SessionID]
		delete(p.waiting, m.ID)
		p.mu.Unlock()
		switch {
		case waiting != nil:
			waiting <- m
		case m.ID == 0 && event != nil:
			event(m.Method, m.Params)
		}
	}
}

func splitAtZero(data []byte, atEnd bool) (advance int, token []byte, err error) {
	for i, b := range data {
		if b == 0 {
			return i + 1, data[:i], nil
		}
	}
	if atEnd {
		return len(data), nil, nil
	}
	return 0, nil, nil
}

// listen has events of a session told; nil ends it.
func (p *pipe) listen(session string, event func(method string, params json.RawMessage)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if event == nil {
		delete(p.events, session)
		return
	}
	p.events[session] = event
}

// call asks the browser for something and reads the answer into result, unless that is nil.
func (p *pipe) call(ctx context.Context, session, method string, params, result any) error {
	encoded, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	answer := make(chan message, 1)
	p.mu.Lock()
	p.last++
	id := p.last
	p.waiting[id] = answer
	text, err := json.Marshal(message{ID: id, SessionID: session, Method: method, Params: encoded})
	if err == nil {
		_, err = p.in.Write(append(text, 0))
	}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.waiting, id)
		p.mu.Unlock()
	}()
	if err != nil {
		return fmt.Errorf("%s: %w", method, errors.Join(errGone, err))
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		}
		if result == nil {
			return nil
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("%s: read the answer: %w", method, err)
		}
		return nil
	case <-p.gone:
		return fmt.Errorf("%s: %w", method, errGone)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}
