const SENDER_REPORT = 200
const RECEIVER_REPORT = 201
const DESCRIPTION = 202
const REPORT_BLOCK_BYTES = 24
/** Seconds from 1900, where the clock of the reports begins, to 1970. */
const EPOCH_SECONDS = 2_208_988_800

/** What was sent so far. */
export interface SentFacts {
  readonly source: number
  readonly packets: number
  /** Of the payloads. */
  readonly bytes: number
  /** The time stamp of media that would be sent now. */
  readonly timestamp: number
}

/** What was received so far, from one source. */
export interface ReceivedFacts {
  readonly source: number
  /** Of the packets since the last report, 0..1. */
  readonly lostShare: number
  readonly lost: number
  /** The highest sequence number, with its turns of 2^16. */
  readonly highestSequence: number
  /** Variation of the times of arrival, in units of time stamps. */
  readonly jitter: number
  /** The middle of the clock in the last report of the sender, and how long ago it came. */
  readonly lastReport: { readonly clock: number; readonly agoMs: number } | undefined
}

/** Parts of a {@link writeReport}. */
export interface ReportOptions {
  readonly sent: SentFacts
  readonly received: ReceivedFacts | undefined
  /** Name of the sender in all its streams. */
  readonly name: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Writes a report of what was sent and received with the name of its sender (RFC 3550, section 6.4). A side that has not
 * sent anything writes the report of a receiver.
 */
export function writeReport({ sent, received, name, now }: ReportOptions): Uint8Array {
  const blocks = received === undefined ? 0 : 1
  const isSender = sent.packets > 0
  const head = isSender ? 28 : 8
  const reportBytes = head + blocks * REPORT_BLOCK_BYTES
  const text = new TextEncoder().encode(name)
  // At least one zero ends the list of items, and the whole is a multiple of four bytes.
  const itemBytes = 4 * Math.ceil((2 + text.length + 1) / 4)
  const bytes = new Uint8Array(reportBytes + 8 + itemBytes)
  const view = new DataView(bytes.buffer)
  writeHead(view, 0, { count: blocks, type: isSender ? SENDER_REPORT : RECEIVER_REPORT, length: reportBytes })
  view.setUint32(4, sent.source)
  if (isSender) writeSender(view, sent, now)
  if (received !== undefined) writeBlock(view, head, received)
  writeHead(view, reportBytes, { count: 1, type: DESCRIPTION, length: 8 + itemBytes })
  view.setUint32(reportBytes + 4, sent.source)
  bytes.set([1, text.length, ...text], reportBytes + 8)
  return bytes
}

function writeHead(
  view: DataView,
  at: number,
  { count, type, length }: { readonly count: number; readonly type: number; readonly length: number },
): void {
  view.setUint8(at, 0x80 | count)
  view.setUint8(at + 1, type)
  view.setUint16(at + 2, length / 4 - 1)
}

function writeSender(view: DataView, sent: SentFacts, now: number): void {
  view.setUint32(8, Math.floor(now / 1000) + EPOCH_SECONDS)
  view.setUint32(12, ((now % 1000) / 1000) * 2 ** 32)
  view.setUint32(16, sent.timestamp)
  view.setUint32(20, sent.packets)
  view.setUint32(24, sent.bytes)
}

function writeBlock(view: DataView, at: number, received: ReceivedFacts): void {
  const { lastReport } = received
  view.setUint32(at, received.source)
  view.setUint32(at + 4, Math.min(0x7f_ff_ff, received.lost))
  view.setUint8(at + 4, Math.min(255, Math.floor(received.lostShare * 256)))
  view.setUint32(at + 8, received.highestSequence)
  view.setUint32(at + 12, received.jitter)
  view.setUint32(at + 16, lastReport?.clock ?? 0)
  view.setUint32(at + 20, lastReport === undefined ? 0 : (lastReport.agoMs * 65_536) / 1000)
}

/**
 * Reads the clock of a sender's report, which may be one of several in the bytes.
 *
 * @returns its source and the middle 32 bits of its clock; undefined where there is none
 */
export function readSenderClock(bytes: Uint8Array): { readonly source: number; readonly clock: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = 4 * (view.getUint16(at + 2) + 1)
    if (view.getUint8(at) >> 6 !== 2 || at + length > bytes.length) return undefined
    if (view.getUint8(at + 1) === SENDER_REPORT && length >= 28) {
      const clock = ((view.getUint32(at + 8) & 0xff_ff) * 65_536 + (view.getUint32(at + 12) >>> 16)) >>> 0
      return { source: view.getUint32(at + 4), clock }
    }
    at += length
  }
  return undefined
}
