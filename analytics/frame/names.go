package frame

// Kind is the kind of a hit's name.
type Kind uint8

// The kinds, in the order of hits at one millisecond (analytics.md §2). Views of both kinds are
// ordered by page before kind.
const (
	SessionStart Kind = iota
	FirstVisit
	FirstOpen
	PageView
	ScreenView
	Custom
	kinds
)

// Other is the reserved text under which names beyond the daily allowance are reported.
const Other = "(other)"

var builtIn = [kinds]string{"session_start", "first_visit", "first_open", "page_view", "screen_view", ""}

// String returns the built-in event name of the kind, or "custom".
func (k Kind) String() string {
	if k >= Custom {
		return "custom"
	}
	return builtIn[k]
}

// KindOf returns the kind of an event name: custom unless it is one of the five built-in names.
func KindOf(event string) Kind {
	for k, name := range builtIn[:Custom] {
		if event == name {
			return Kind(k)
		}
	}
	return Custom
}

// IsView tells whether hits of the kind are views.
func (k Kind) IsView() bool { return k == PageView || k == ScreenView }

// Name is what a name id stands for, in dictionary codes.
type Name struct {
	Kind  Kind
	Known bool   // whether the id was ever announced
	Page  uint32 // code in Pages of a view's page or screen; 0 otherwise
	Event uint32 // code in Events of the event's name
}

// tie returns the rank of a kind among hits of one millisecond.
func (k Kind) tie() uint8 {
	switch k {
	case SessionStart:
		return 0
	case FirstVisit, FirstOpen:
		return 1
	case PageView, ScreenView:
		return 2
	}
	return 3
}

// lessName orders two names of hits at one millisecond.
func lessName(a, b Name, pages, events []string) bool {
	if a.Kind.tie() != b.Kind.tie() {
		return a.Kind.tie() < b.Kind.tie()
	}
	if a.Kind.IsView() && a.Page != b.Page {
		return pages[a.Page] < pages[b.Page]
	}
	if a.Kind == Custom && a.Event != b.Event {
		return events[a.Event] < events[b.Event]
	}
	return a.Kind < b.Kind
}
