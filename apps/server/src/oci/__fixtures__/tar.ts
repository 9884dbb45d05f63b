/** A member to write; everything but its name may be left out. */
export interface TarEntry {
  readonly name: string
  readonly content?: string | Uint8Array
  /** `0` file, `1` hard link, `2` symbolic link, `5` folder, `3` device, `6` pipe, `x` extended header. @default '0' */
  readonly type?: string
  readonly linkName?: string
  /** @default 0o644 */
  readonly mode?: number
  /** Announced instead of the size of the content. */
  readonly size?: number
  readonly checksum?: string
}

const BLOCK = 512

/** A tar archive, well formed unless an entry says otherwise. */
export function makeTar(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(toBlocks), Buffer.alloc(2 * BLOCK)])
}

/** The extended header that gives the next member another path. */
export function paxEntry(records: Readonly<Record<string, string>>): TarEntry {
  const content = Object.entries(records)
    .map(([key, value]) => {
      const rest = ` ${key}=${value}\n`
      let length = rest.length + 1
      while (String(length).length + rest.length !== length) length = String(length).length + rest.length
      return `${length}${rest}`
    })
    .join('')
  return { name: 'pax', type: 'x', content }
}

function toBlocks(entry: TarEntry): Buffer[] {
  const content = Buffer.from(entry.content ?? '')
  const header = Buffer.alloc(BLOCK)
  header.write(entry.name, 0, 100)
  header.write(`${(entry.mode ?? 0o644).toString(8).padStart(7, '0')}\0`, 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${(entry.size ?? content.length).toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write('        ', 148)
  header.write(entry.type ?? '0', 156)
  header.write(entry.linkName ?? '', 157, 100)
  header.write('ustar\0', 257)
  header.write('00', 263)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(entry.checksum ?? `${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]
}
