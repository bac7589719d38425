package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/apimachinery/pkg/watch"
)

// Frames encodes the events of one watch: in JSON a line each, in protobuf a
// length and a message each. Upstream: watchEncoder.
type Frames struct {
	out   Output
	table *metav1.TableOptions
}

// Frames begins a stream. table says how rows are made if the client wants
// tables; only the first one has column definitions.
func (o Output) Frames(table *metav1.TableOptions) *Frames {
	f := &Frames{out: o}
	if table != nil {
		options := *table
		f.table = &options
	}
	return f
}

// Encode returns the frame of an event. Ages in tables are those at now.
func (f *Frames) Encode(ev watch.Event, now time.Time) ([]byte, *apierrors.StatusError) {
	object, refused := f.out.Encode(ev.Object, f.table, now)
	if refused != nil {
		return nil, refused
	}
	if f.table != nil {
		f.table.NoHeaders = true
	}
	var event, framed bytes.Buffer
	stream := f.out.Info.StreamSerializer
	if err := stream.Encode(&metav1.WatchEvent{Type: string(ev.Type), Object: runtime.RawExtension{Raw: object}}, &event); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	if _, err := stream.NewFrameWriter(&framed).Write(event.Bytes()); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return framed.Bytes(), nil
}

// EncodeError returns the frame of the event that ends a watch with a Status.
func (f *Frames) EncodeError(status *metav1.Status, now time.Time) []byte {
	s := *status
	s.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	frame, err := f.Encode(watch.Event{Type: watch.Error, Object: &s}, now)
	if err != nil {
		panic(err) // a Status always encodes
	}
	return frame
}

// Decode reads one frame, as client-go's decoder of watches does.
func (f *Frames) Decode(frame []byte) (watch.Event, error) {
	stream := f.out.Info.StreamSerializer
	decoder := streaming.NewDecoder(stream.NewFrameReader(io.NopCloser(bytes.NewReader(frame))), stream)
	var got metav1.WatchEvent
	res, _, err := decoder.Decode(nil, &got)
	if err != nil {
		return watch.Event{}, err
	}
	if res != runtime.Object(&got) {
		return watch.Event{}, errors.New("unable to decode to metav1.WatchEvent")
	}
	switch watch.EventType(got.Type) {
	case watch.Added, watch.Modified, watch.Deleted, watch.Error, watch.Bookmark:
	default:
		return watch.Event{}, fmt.Errorf("got invalid watch event type: %v", got.Type)
	}
	obj, err := runtime.Decode(f.out.Info.Serializer, got.Object.Raw)
	if err != nil {
		return watch.Event{}, fmt.Errorf("unable to decode watch event: %v", err)
	}
	return watch.Event{Type: watch.EventType(got.Type), Object: obj}, nil
}
