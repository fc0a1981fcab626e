/**
 * A chunk of the packet table: a row for each packet on each link, in order of enqueue_s. Columns are views on the
 * bytes that came; nothing is copied. A time that did not happen, or is not known, is NaN.
 */

/** Bits of the column `flags`. */
export const MARKED = 1;
export const DROPPED = 2;
export const LOST = 4;
export const RETRANSMISSION = 8;

/** The sequence number of a packet that has none. */
export const NO_SEQ = 0xffffffff;

const MAGIC = 0x484b4341; // "ACKH", little-endian
const VERSION = 1;
const HEADER_BYTES = 16;

export interface Chunk {
  readonly rows: number;
  readonly enqueue_s: Float64Array;
  /** The packet leaves the queue: its transmission starts. */
  readonly start_s: Float64Array;
  readonly end_s: Float64Array;
  readonly arrive_s: Float64Array;
  readonly drop_s: Float64Array;
  readonly uid: Uint32Array;
  readonly size_bytes: Uint32Array;
  readonly link: Uint16Array;
  readonly flow: Uint16Array;
  readonly kind: Uint8Array;
  readonly flags: Uint8Array;
  readonly seq: Uint32Array;
  readonly bytes: number;
}

/** Bytes that are not a chunk of a version this page reads. */
export class ChunkError extends Error {}

/** Where the columns lie, in order: bytes of one value. */
const WIDTHS = [8, 8, 8, 8, 8, 4, 4, 2, 2, 1, 1, 4];

const padded = (bytes: number): number => Math.ceil(bytes / 8) * 8;

/** Bytes of a chunk of so many rows. */
export function chunkBytes(rows: number): number {
  return HEADER_BYTES + WIDTHS.reduce((sum, width) => sum + padded(width * rows), 0);
}

/** The chunk in `buffer`; throws a ChunkError that says what is wrong with the bytes. */
export function decode(buffer: ArrayBuffer): Chunk {
  if (buffer.byteLength < HEADER_BYTES) {
    throw new ChunkError(`a chunk of ${buffer.byteLength} bytes is shorter than its header`);
  }
  const head = new DataView(buffer);
  if (head.getUint32(0, true) !== MAGIC) throw new ChunkError('a chunk does not begin with "ACKH"');
  const version = head.getUint32(4, true);
  if (version !== VERSION) {
    throw new ChunkError(`a chunk is of version ${version}, this page reads ${VERSION}: reload the page`);
  }
  const rows = head.getUint32(8, true);
  const expected = chunkBytes(rows);
  if (buffer.byteLength < expected) {
    throw new ChunkError(`a chunk of ${rows} rows has ${buffer.byteLength} bytes of ${expected}: it was cut short`);
  }
  let at = HEADER_BYTES;
  const next = (width: number): number => {
    const here = at;
    at += padded(width * rows);
    return here;
  };
  const times = (): Float64Array => new Float64Array(buffer, next(8), rows);
  const words = (): Uint32Array => new Uint32Array(buffer, next(4), rows);
  const halves = (): Uint16Array => new Uint16Array(buffer, next(2), rows);
  const bytes = (): Uint8Array => new Uint8Array(buffer, next(1), rows);
  return {
    rows,
    enqueue_s: times(),
    start_s: times(),
    end_s: times(),
    arrive_s: times(),
    drop_s: times(),
    uid: words(),
    size_bytes: words(),
    link: halves(),
    flow: halves(),
    kind: bytes(),
    flags: bytes(),
    seq: words(),
    bytes: buffer.byteLength,
  };
}
