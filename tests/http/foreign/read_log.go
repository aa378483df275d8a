// Reads a published log with Go's own packages for transparent logs, which were not written for this project.
//
// The arguments are the address of the log, its public key, and a proof file. It checks the checkpoint's signature, each tile
// against the signed root, each entry's inclusion, that the log of each smaller size is its beginning, and the proof file.
// It prints how many entries it has checked.
package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

// A log is what tlog reads tiles from.
type log struct{ address string }

func (l log) Height() int { return height }

func (l log) SaveTiles([]tlog.Tile, [][]byte) {}

func (l log) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var read [][]byte
	for _, tile := range tiles {
		// Go's module mirror writes the height of the tiles into their paths; tlog-tiles does not.
		read = append(read, l.file(strings.Replace(tile.Path(), "tile/8/", "tile/", 1)))
	}
	return read, nil
}

func (l log) file(path string) []byte {
	answer, err := http.Get(l.address + "/" + path)
	need(err)
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	need(err)
	if answer.StatusCode != http.StatusOK {
		need(fmt.Errorf("%s: %s %s", path, answer.Status, content))
	}
	return content
}

// entries are the texts of the leaves of a log with fewer than 256.
func (l log) entries(size int64) [][]byte {
	var found [][]byte
	bundle := l.file(fmt.Sprintf("tile/entries/000.p/%d", size))
	for len(bundle) > 0 {
		length := binary.BigEndian.Uint16(bundle)
		found = append(found, bundle[2:2+length])
		bundle = bundle[2+length:]
	}
	return found
}

// opened is the tree in a checkpoint that a key has signed.
func opened(checkpoint []byte, key string) tlog.Tree {
	verifier, err := note.NewVerifier(key)
	need(err)
	signed, err := note.Open(checkpoint, note.VerifierList(verifier))
	need(err)
	lines := strings.Split(signed.Text, "\n")
	if lines[0] != verifier.Name() {
		need(fmt.Errorf("the origin is %s", lines[0]))
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	need(err)
	root, err := tlog.ParseHash(lines[2])
	need(err)
	return tlog.Tree{N: size, Hash: root}
}

func checkEntries(from log, tree tlog.Tree) {
	hashes := tlog.TileHashReader(tree, from)
	for index, entry := range from.entries(tree.N) {
		proof, err := tlog.ProveRecord(tree.N, int64(index), hashes)
		need(err)
		need(tlog.CheckRecord(proof, tree.N, tree.Hash, int64(index), tlog.RecordHash(entry)))
	}
	for size := int64(1); size <= tree.N; size++ {
		root, err := tlog.TreeHash(size, hashes)
		need(err)
		proof, err := tlog.ProveTree(tree.N, size, hashes)
		need(err)
		need(tlog.CheckTree(proof, tree.N, tree.Hash, size, root))
	}
}

// checkProof checks a file of c2sp.org/tlog-proof@v1 for an entry that is beside it.
func checkProof(path, key string) {
	content, err := os.ReadFile(path)
	need(err)
	entry, err := os.ReadFile(path + ".entry")
	need(err)
	head, checkpoint, _ := strings.Cut(string(content), "\n\n")
	lines := strings.Split(head, "\n")
	if lines[0] != "c2sp.org/tlog-proof@v1" {
		need(fmt.Errorf("it begins with %s", lines[0]))
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
	need(err)
	var proof tlog.RecordProof
	for _, line := range lines[2:] {
		hash, err := base64.StdEncoding.DecodeString(line)
		need(err)
		proof = append(proof, *(*tlog.Hash)(hash))
	}
	tree := opened([]byte(checkpoint), key)
	need(tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entry)))
}

func need(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	from, key := log{os.Args[1]}, os.Args[2]
	tree := opened(from.file("checkpoint"), key)
	checkEntries(from, tree)
	checkProof(os.Args[3], key)
	fmt.Println(tree.N)
}
