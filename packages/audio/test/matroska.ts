/** Writes an element with a size of eight bytes. */
function element(id: number, content: Uint8Array): Buffer {
  const name = Buffer.from(id.toString(16).padStart(id > 0xffff ? 8 : id > 0xff ? 4 : 2, '0'), 'hex')
  const size = Buffer.alloc(8)
  size.writeUInt32BE(content.length, 4)
  size[0] = 1
  return Buffer.concat([name, size, content])
}

/** The head of an element without a size, as live recordings have it. */
const open = (id: number): Buffer => Buffer.from(`${id.toString(16)}01ffffffffffffff`, 'hex')

/** How the packets lie in the blocks of a file. */
export type Lacing = 'none' | 'xiph' | 'fixed' | 'ebml'

const LACING_FLAGS: Readonly<Record<Lacing, number>> = { none: 0, xiph: 2, fixed: 4, ebml: 6 }
const TOGETHER = 4

function writeSizes(packets: readonly Uint8Array[], lacing: Lacing): Buffer {
  const sizes = packets.slice(0, -1).map(({ length }) => length)
  const head = Buffer.of(packets.length - 1)
  if (lacing === 'fixed') return head
  if (lacing === 'xiph') {
    const each = sizes.map((size) => Buffer.from([...Array(Math.floor(size / 255)).fill(255), size % 255]))
    return Buffer.concat([head, ...each])
  }
  const each = sizes.map((size, index) => {
    const value = index === 0 ? size : size - (sizes[index - 1] ?? 0) + 8191
    return Buffer.of(0x40 | (value >> 8), value & 255)
  })
  return Buffer.concat([head, ...each])
}

/** Writes packets of Opus as a WebM file of one track, beside a track of another codec. */
export function writeWebm(
  head: Uint8Array,
  packets: readonly Uint8Array[],
  { lacing = 'none', isLive = false }: { readonly lacing?: Lacing; readonly isLive?: boolean } = {},
): Buffer {
  const track = (number: number, codec: string, data: Uint8Array): Buffer =>
    element(
      0xae,
      Buffer.concat([element(0xd7, Buffer.of(number)), element(0x86, Buffer.from(codec)), element(0x63a2, data)]),
    )
  const tracks = element(0x1654ae6b, Buffer.concat([track(1, 'V_VP8', Buffer.of()), track(2, 'A_OPUS', head)]))
  const perBlock = lacing === 'none' ? 1 : TOGETHER
  const blocks: Buffer[] = []
  for (let at = 0; at < packets.length; at += perBlock) {
    const laced = packets.slice(at, at + perBlock)
    const sizes = lacing === 'none' ? Buffer.of() : writeSizes(laced, lacing)
    const content = Buffer.concat([Buffer.of(0x82, 0, 0, LACING_FLAGS[lacing]), sizes, ...laced])
    blocks.push(at % 2 === 0 ? element(0xa3, content) : element(0xa0, element(0xa1, content)))
    blocks.push(element(0xa3, Buffer.from('8100000078', 'hex')))
  }
  const ebml = element(0x1a45dfa3, Buffer.from('\x42\x82\x84webm', 'latin1'))
  const cluster = Buffer.concat(blocks)
  if (isLive) return Buffer.concat([ebml, open(0x18538067), tracks, open(0x1f43b675), cluster])
  return Buffer.concat([ebml, element(0x18538067, Buffer.concat([tracks, element(0x1f43b675, cluster)]))])
}
