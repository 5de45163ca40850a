package mapped

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ReadAhead returns how many KiB the system reads around a page of a file under path that is not in memory, 0 where it
// does not tell. Where memory is short, much of it is pages that nobody asked for.
func ReadAhead(path string) int {
	var stat unix.Stat_t
	if unix.Stat(path, &stat) != nil {
		return 0
	}
	device := fmt.Sprintf("/sys/dev/block/%d:%d/", unix.Major(stat.Dev), unix.Minor(stat.Dev))
	for _, queue := range []string{"queue", "../queue"} { // of a disk, of a partition
		text, err := os.ReadFile(device + queue + "/read_ahead_kb")
		if kib, bad := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && bad == nil {
			return kib
		}
	}
	return 0
}
