import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { readFilmSeconds } from './read-film-seconds.ts'

function box(type: string, ...parts: Buffer[]): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + parts.reduce((sum, { length }) => sum + length, 0), 0)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, ...parts])
}

function longBox(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(16)
  head.writeUInt32BE(1, 0)
  head.write(type, 4, 'latin1')
  head.writeBigUInt64BE(BigInt(16 + content.length), 8)
  return Buffer.concat([head, content])
}

const header = (unitsPerSecond: number, units: number): Buffer => {
  const content = Buffer.alloc(100)
  content.writeUInt32BE(unitsPerSecond, 12)
  content.writeUInt32BE(units, 16)
  return box('mvhd', content)
}
const longHeader = (unitsPerSecond: number, units: bigint): Buffer => {
  const content = Buffer.alloc(112)
  content[0] = 1
  content.writeUInt32BE(unitsPerSecond, 20)
  content.writeBigUInt64BE(units, 24)
  return box('mvhd', content)
}
const start = box('ftyp', Buffer.from('isom'))
const data = box('mdat', Buffer.alloc(5000, 1))

it.each<[string, Buffer, number | undefined]>([
  ['a film with its header first', Buffer.concat([start, box('moov', header(1000, 2500)), data]), 2.5],
  ['a film with its header last', Buffer.concat([start, data, box('moov', box('iods'), header(600, 1200))]), 2],
  [
    'a film with numbers of 64 bits',
    Buffer.concat([start, longBox('mdat', Buffer.alloc(10)), box('moov', longHeader(90_000, 180_000n))]),
    2,
  ],
  ['a film of unknown length', Buffer.concat([start, box('moov', header(1000, 0xffffffff))]), undefined],
  ['a film without units', Buffer.concat([start, box('moov', header(0, 5))]), undefined],
  ['a film without a header', Buffer.concat([start, data]), undefined],
  ['a box that leads nowhere', Buffer.concat([start, Buffer.from([0, 0, 0, 3, 0x6d, 0x6f, 0x6f, 0x76])]), undefined],
  ['a header that is cut off', Buffer.concat([start, box('moov', box('mvhd', Buffer.alloc(10)))]), undefined],
  ['many boxes', Buffer.concat(Array.from({ length: 1000 }, () => box('free'))), undefined],
  ['no film', Buffer.from('nothing at all'), undefined],
  ['an empty file', Buffer.of(), undefined],
])('reads the length of %s', async (_name, bytes, seconds) => {
  await using dir = await tempDir('svc-film-')
  const path = join(dir.path, 'film.mp4')
  await writeFile(path, bytes)
  expect(await readFilmSeconds(path)).toBe(seconds)
  expect(await readFilmSeconds(`${path}.none`)).toBeUndefined()
})
