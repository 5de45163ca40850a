package mapped

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

func openDirect(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_DIRECT, 0)
}

// mostInMemory tells whether most pages that bytes of the file are in are in the page cache.
func (f *File) mostInMemory(bytes []byte) bool {
	page := os.Getpagesize()
	from := int(uintptr(unsafe.Pointer(&bytes[0])) - uintptr(unsafe.Pointer(&f.bytes[0])))
	all := f.bytes[from/page*page : from+len(bytes)]
	pages := make([]byte, (len(all)+page-1)/page)
	_, _, errno := unix.Syscall(unix.SYS_MINCORE,
		uintptr(unsafe.Pointer(&all[0])), uintptr(len(all)), uintptr(unsafe.Pointer(&pages[0])))
	if errno != 0 {
		return false
	}
	in := 0
	for _, page := range pages {
		in += int(page & 1)
	}
	return 2*in > len(pages)
}
