import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { removeFolder } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPrivateFiles, type PrivateFiles } from '../../files/private-files.ts'
import type { FormRules, HeldForm } from '../../inference/documents/form.ts'
import { ByteBudget } from '../byte-meter.ts'
import { receiveForm } from './receive-form.ts'

const TYPE = 'multipart/form-data; boundary=b1'
const RULES: FormRules = { files: { file: { maxBytes: 1000 }, 'image[]': { maxCount: 2 } }, maxFieldBytes: 500 }

let folder: string
let files: PrivateFiles
const memory = new ByteBudget(4000)
const disk = new ByteBudget(10_000)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-forms-'))
  files = await openPrivateFiles(join(folder, 'private'))
})

afterAll(async () => {
  await files.close()
  await removeFolder(folder)
})

const head = (disposition: string, ...more: string[]): string =>
  `--b1\r\n${[`Content-Disposition: ${disposition}`, ...more].join('\r\n')}\r\n\r\n`
const field = (name: string, text: string, ...more: string[]): string =>
  `${head(`form-data; name="${name}"`, ...more)}${text}\r\n`
const file = (name: string, text: string, filename = 'a.wav', ...more: string[]): string =>
  `${head(`form-data; name="${name}"; filename="${filename}"`, ...more)}${text}\r\n`
const END = '--b1--\r\n'

/** Gives the bytes in pieces of a size. */
async function* cut(text: string | Buffer, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

function receive(
  bytes: AsyncIterable<Uint8Array>,
  contentType: string | undefined = TYPE,
  abort: AbortSignal = new AbortController().signal,
): Promise<HeldForm> {
  return receiveForm(bytes, {
    contentType,
    rules: RULES,
    maxFileBytes: 5000,
    files,
    memory: memory.open(),
    disk: disk.open(),
    abort,
  })
}

const toValue = ({ texts }: HeldForm): unknown => JSON.parse(Buffer.from(texts.bytes).toString())

async function expectNothingLeft(): Promise<void> {
  await files.close()
  expect([await readdir(folder), memory.heldBytes, disk.heldBytes]).toEqual([[], 0, 0])
}

// verifies limits:upload:forms, limits:upload:heads
describe('receiveForm', () => {
  it.each([1, 2, 3, 5, 7, 16, 64, 1000, 65_536])('reads fields in any order, in pieces of %i bytes', async (size) => {
    const text =
      field('model', 'm') +
      file('file', 'RIFF\r\n--b\r\n', 'Ä "1".wav'.replaceAll('"', '%22'), 'Content-Type: audio/wav; x=1') +
      field('list[]', 'one') +
      file('image[]', '', 'a.png') +
      field('list[]', 'two, a longer one') +
      field('prompt', 'Grüße\r\n') +
      file('other', 'dropped'.repeat(100)) +
      file('image[]', '2', 'b.png') +
      field('', '').replace(' name=""', ' name=empty') +
      field('__proto__', 'x') +
      END
    const form = await receive(cut(text, size))
    expect(Buffer.from(form.texts.bytes).toString()).toBe(
      '{"model":"m","list[]":["one","two, a longer one"],"prompt":"Grüße\\r\\n","empty":"","__proto__":"x"}',
    )
    expect(form.files.map(({ path: _, ...facts }) => facts)).toEqual([
      { field: 'file', filename: 'Ä "1".wav', mediaType: 'audio/wav', sizeBytes: 11 },
      { field: 'image[]', filename: 'a.png', mediaType: '', sizeBytes: 0 },
      { field: 'image[]', filename: 'b.png', mediaType: '', sizeBytes: 1 },
    ])
    const [first] = form.files
    expect((await readFile(first?.path ?? '')).toString()).toBe('RIFF\r\n--b\r\n')
    expect((await stat(first?.path ?? '')).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, 'private'))).mode & 0o777).toBe(0o700)
    expect([memory.heldBytes > 0, disk.heldBytes]).toEqual([true, 12])
    form.release()
    form.release()
    // Their bytes count until they are removed.
    expect([memory.heldBytes, disk.heldBytes]).toEqual([0, 12])
    await expectNothingLeft()
  })

  it.each<[string, string, string | undefined, unknown]>([
    ['a preamble and an epilogue', `for old programs\r\n${field('a', '1')}${END}\r\nmore${END}`, undefined, { a: '1' }],
    ['no line end after the last boundary', field('a', '1') + END.trim(), undefined, { a: '1' }],
    ['a quoted boundary', field('a', '1') + END, 'multipart/form-data; boundary="b1"', { a: '1' }],
    ['a media type in capitals', field('a', '1') + END, 'Multipart/Form-Data;BOUNDARY=b1;', { a: '1' }],
    ['headers in capitals', field('a', '1').toUpperCase().replace('--B1', '--b1') + END, undefined, { A: '1' }],
    ['UTF-8 by name', field('a', 'ä', 'Content-Type: text/plain; charset="UTF-8"') + END, undefined, { a: 'ä' }],
    ['a plain encoding', field('a', '1', 'Content-Transfer-Encoding: 8bit') + END, undefined, { a: '1' }],
    ['an extended name', `${head("form-data; name*=utf-8''%c3%a4")}1\r\n${END}`, undefined, { ä: '1' }],
    ['a token as name', `${head('form-data;name=a')}1\r\n${END}`, undefined, { a: '1' }],
    ['escaped quotes', `${head('form-data; name="a\\"b\\c"')}1\r\n${END}`, undefined, { 'a"b\\c': '1' }],
    ['unknown headers and length', field('a', '1', 'X-A: b', 'Content-Length: 1') + END, undefined, { a: '1' }],
    ['a byte order mark', field('a', '\uFEFFx') + END, undefined, { a: '\uFEFFx' }],
    ['control characters', field('a', '\u0001"\\\u001f') + END, undefined, { a: '\u0001"\\\u001f' }],
    ['large letters', field('a', '🙂é漢') + field('b[]', '🙂') + END, undefined, { a: '🙂é漢', 'b[]': ['🙂'] }],
    ['no field', END, undefined, {}],
    ['a folded header', `${head('form-data;\r\n\tname="a"', 'X: b\r\n c')}1\r\n${END}`, undefined, { a: '1' }],
    ['a header without a value', field('a', '1', 'X:') + END, undefined, { a: '1' }],
    ['a head of 16,000 bytes', field('a', '1', `X: ${'x'.repeat(15_900)}`) + END, undefined, { a: '1' }],
    ['the boundary inside a text', field('a', 'x--b1\r\n--b') + END, undefined, { a: 'x--b1\r\n--b' }],
  ])('reads %s', async (_name, text, contentType, expected) => {
    const form = await receive(cut(text), contentType)
    expect(toValue(form)).toEqual(expected)
    form.release()
    await expectNothingLeft()
  })

  it.each<[string, string | Buffer, string, SvcError['kind'], string?]>([
    ['no media type', field('a', '1') + END, 'must be a form', 'invalid_request', ''],
    ['another media type', '{}', 'must be a form', 'invalid_request', 'application/json'],
    ['another form', 'a=1', 'must be a form', 'invalid_request', 'application/x-www-form-urlencoded'],
    ['no boundary', field('a', '1') + END, 'has no boundary', 'invalid_request', 'multipart/form-data'],
    ['an empty boundary', field('a', '1') + END, 'no boundary', 'invalid_request', 'multipart/form-data; boundary=""'],
    ['a long boundary', '', 'no boundary', 'invalid_request', `multipart/form-data; boundary=${'x'.repeat(71)}`],
    ['a wild boundary', '', 'no boundary', 'invalid_request', 'multipart/form-data; boundary="a\\"b"'],
    ['two boundaries', '', 'malformed', 'invalid_request', 'multipart/form-data; boundary=a; boundary=b'],
    ['nothing', '', 'cut off', 'invalid_request'],
    ['no final boundary', file('file', '1'), 'cut off', 'invalid_request'],
    ['an end inside a text', field('a', '1').slice(0, -3), 'cut off', 'invalid_request'],
    ['an end inside a file', file('file', 'x'.repeat(900)).slice(0, 600), 'cut off', 'invalid_request'],
    ['an end inside a head', head('form-data; name="a"').slice(0, 30), 'cut off', 'invalid_request'],
    ['another boundary', (field('a', '1') + END).replaceAll('b1', 'b2'), 'cut off', 'invalid_request'],
    [
      'a huge preamble',
      `${'x'.repeat(20_000)}\r\n${field('a', '1')}${END}`,
      'begin with its boundary',
      'invalid_request',
    ],
    [
      'a head without an end',
      `--b1\r\nContent-Disposition: form-data\r\n--b1\r\n${END}`,
      'complete head',
      'invalid_request',
    ],
    ['a part without a head', `--b1\r\n\r\n1\r\n${END}`, 'no Content-Disposition', 'invalid_request'],
    ['a long head', field('a', '1', `X: ${'x'.repeat(17_000)}`) + END, 'head of a part is over', 'invalid_request'],
    [
      'a long head that is folded',
      field('a', '1', `X: a${'\r\n x'.repeat(5000)}`) + END,
      'head of a part is over',
      'invalid_request',
    ],
    [
      'a long head with a malformed end',
      field('a', '1', `X: a\r\nmalformed${'x'.repeat(17_000)}`) + END,
      'head of a part is over',
      'invalid_request',
    ],
    [
      'a long head with a malformed beginning',
      field('a', '1').replace('Content', `malformed\r\n${'x\r\n'.repeat(6000)}Content`) + END,
      'head of a part is over',
      'invalid_request',
    ],
    ...['malformed', 'mal formed: x', ': x', 'X: a\nY: b', 'X: a\rY: b', 'X\n: a', '\xe4: x', 'X : a'].flatMap(
      (line): [string, string, string, 'invalid_request'][] =>
        [
          field('a', '1', line, 'Content-Transfer-Encoding: base64'),
          `${head('form-data').replace('Con', `${line}\r\nCon`)}1\r\n`,
        ].map((part, index) => [
          `the line ${JSON.stringify(line)} ${index}`,
          part + END,
          'not a header',
          'invalid_request',
        ]),
    ),
    [
      'a head that begins folded',
      `--b1\r\n Content-Disposition: x\r\n\r\n1\r\n${END}`,
      'not a header',
      'invalid_request',
    ],
    [
      'more than a boundary on its line',
      field('a', '1').replace('b1', 'b1 x') + END,
      'not a header',
      'invalid_request',
    ],
    [
      'many headers',
      field('a', '1', ...Array(2000).fill('X: abcdefg')) + END,
      'head of a part is over',
      'invalid_request',
    ],
    ['a mail', `${head('attachment; name="a"')}1\r\n${END}`, 'no Content-Disposition: form-data', 'invalid_request'],
    ['a field without a name', `${head('form-data')}1\r\n${END}`, 'a field has no name', 'invalid_request'],
    ['a field with an empty name', field('', '1') + END, 'a field has no name', 'invalid_request'],
    [
      'a file without a name',
      `${head('form-data; filename="x"')}1\r\n${END}`,
      'a field has no name',
      'invalid_request',
    ],
    ['a long name', field('n'.repeat(201), '1') + END, 'name of over 200 bytes', 'invalid_request'],
    [
      'a name with a line break',
      field('a%0Ab', '1').replace('%0A', '\t') + END,
      'control characters',
      'invalid_request',
    ],
    ['a name in latin1', Buffer.from(field('\xe4', '1') + END, 'latin1'), 'not UTF-8', 'invalid_request'],
    ['a text in latin1', Buffer.from(field('a', '\xe4') + END, 'latin1'), 'not UTF-8', 'invalid_request'],
    [
      'half a letter',
      Buffer.concat([Buffer.from(head('form-data; name="a"')), Buffer.from([0xc3]), Buffer.from(`\r\n${END}`)]),
      'not UTF-8',
      'invalid_request',
    ],
    [
      'a text of another charset',
      field('a', '1', 'Content-Type: text/plain; charset=utf-16') + END,
      'must be UTF-8',
      'unsupported_media',
    ],
    [
      'an encoded file',
      file('file', '1', 'a', 'Content-Transfer-Encoding: base64') + END,
      'must not be encoded',
      'unsupported_media',
    ],
    [
      'a form in a form',
      field('a', '1', 'Content-Type: multipart/mixed; boundary=b2') + END,
      'inside forms',
      'invalid_request',
    ],
    [
      'an extended name in latin1',
      `${head("form-data; name=a; filename*=iso-8859-1''x")}1\r\n${END}`,
      'not in UTF-8',
      'invalid_request',
    ],
    [
      'a malformed extended name',
      `${head("form-data; name=a; filename*=utf-8''%c3")}1\r\n${END}`,
      'malformed',
      'invalid_request',
    ],
    ['a parameter twice', `${head('form-data; name=a; name=b')}1\r\n${END}`, 'malformed', 'invalid_request'],
    ['an open quote', `${head('form-data; name="a')}1\r\n${END}`, 'malformed', 'invalid_request'],
    ['a header twice', field('a', '1', 'Content-Disposition: form-data; name=b') + END, '2 headers', 'invalid_request'],
    ['a text twice', field('a', '1') + field('a', '2') + END, 'a: the field occurs twice', 'invalid_request'],
    ['a file twice', file('file', '1') + file('file', '2') + END, 'file: at most 1 file', 'invalid_request'],
    ['three of two files', file('image[]', '1').repeat(3) + END, 'at most 2 files', 'invalid_request'],
    ['many parts', field('a[]', '').repeat(101) + END, '100 parts', 'invalid_request'],
    ['many dropped files', file('x', '').repeat(101) + END, '100 parts', 'invalid_request'],
    ['a large text', field('a', 'x'.repeat(501)) + END, 'a is larger than 500 bytes', 'too_large'],
    ['a large file', file('file', 'x'.repeat(1001)) + END, 'file is larger than 1000 bytes', 'too_large'],
    ['a file over the body limit', file('image[]', 'x'.repeat(5001)) + END, 'larger than 5000 bytes', 'too_large'],
    ['texts beyond the memory', field('a[]', 'x'.repeat(499)).repeat(9) + END, 'memory', 'unavailable'],
    ['texts that grow beyond the memory', field('a[]', '\n'.repeat(400)).repeat(9) + END, 'memory', 'unavailable'],
  ])('refuses %s and leaves nothing', async (_name, text, message, kind, contentType) => {
    const before = file('image[]', 'whole', 'first.png')
    for (const bytes of [text, Buffer.concat([Buffer.from(before), Buffer.from(text)])]) {
      const refusal: unknown = await receive(cut(bytes, 100), contentType).catch((error: unknown) => error)
      if (!SvcError.is(refusal)) throw new Error(`${_name} was not refused`)
      const isPreamble = _name === 'a huge preamble' && bytes !== text
      if (!isPreamble) expect([refusal.kind, refusal.message]).toEqual([kind, expect.stringContaining(message)])
      await expectNothingLeft()
    }
  })

  it('counts texts as they are encoded, before the rest of the form arrives', async () => {
    let given = 0
    async function* counted() {
      for (let field_ = 0; field_ < 9; field_ += 1) {
        for await (const piece of cut(field('a[]', '\u0001'.repeat(400)), 100)) {
          given += piece.length
          yield piece
        }
      }
      yield Buffer.from(END)
    }
    await expect(receive(counted())).rejects.toMatchObject({ code: 'body_memory' })
    // 2400 bytes for each field, of 4000.
    expect(given).toBeLessThan(1000)
    await expectNothingLeft()
  })

  it('holds no more memory than the encoded texts need', async () => {
    const form = await receive(cut(field('a[]', '"'.repeat(300)) + field('a[]', 'x'.repeat(300)) + END))
    const needed = form.texts.bytes.length
    expect(memory.heldBytes).toBeGreaterThanOrEqual(needed)
    expect(memory.heldBytes).toBeLessThan(needed + 50)
    form.release()
    await expectNothingLeft()
  })

  it('stops reading the texts of a client that has left', async () => {
    const left = new AbortController()
    async function* leaving() {
      yield* cut(file('file', '1') + field('a', '1') + END)
      left.abort(new SvcError('cancelled', 'the client closed the connection'))
    }
    await expect(receive(leaving(), TYPE, left.signal)).rejects.toMatchObject({ kind: 'cancelled' })
    await expectNothingLeft()
  })

  it('refuses files beyond the disk budget', async () => {
    const held = disk.open()
    held.add(9_900)
    await expect(receive(cut(file('file', 'x'.repeat(500)) + END))).rejects.toMatchObject({ code: 'upload_space' })
    held.release()
    await expectNothingLeft()
  })

  it('leaves nothing of a form that its sender breaks off at any byte', async () => {
    const text = field('a', '1') + file('file', 'x'.repeat(50)) + field('b', '2') + END
    for (let at = 0; at < text.length - 2; at += 5) {
      async function* broken() {
        yield* cut(text.slice(0, at), 3)
        throw new SvcError('cancelled', 'the client closed the connection')
      }
      await expect(receive(broken())).rejects.toMatchObject({ kind: 'cancelled' })
      await expectNothingLeft()
    }
  })

  it('removes the files of a killed process', async () => {
    const left = await openPrivateFiles(join(folder, 'killed'))
    await (await left.create()).close()
    expect(await readdir(join(folder, 'killed'))).toHaveLength(1)
    await openPrivateFiles(join(folder, 'killed'))
    expect(await readdir(folder)).toEqual([])
  })
})
