import { encodeAudio, encodeWavHeader, SNIFF_BYTES, type SniffedAudio, sniffAudio } from '@svc/audio'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collect } from './tones.ts'

const text = (value: string) => Uint8Array.from(value, (letter) => letter.charCodeAt(0))
const bytes = (...parts: readonly (string | number | readonly number[] | Uint8Array)[]): Uint8Array => {
  return new Uint8Array(
    Buffer.concat(
      parts.map((part) => {
        if (typeof part === 'string') return Buffer.from(part, 'latin1')
        return typeof part === 'number' ? Buffer.alloc(part) : Buffer.from(part)
      }),
    ),
  )
}

/** MPEG-1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes a frame. */
const MP3_FRAME = bytes([0xff, 0xfb, 0x90, 0x00], 413)
/** ADTS, AAC-LC, 44.1 kHz: 100 bytes a frame. */
const ADTS_FRAME = bytes([0xff, 0xf1, 0x50, 0x80, 0x0c, 0x9f, 0xfc], 93)
const ID3 = (size: number) => bytes('ID3', [4, 0, 0, 0, 0, size >> 7, size & 127], size)
const FMT = (tag: number) => bytes('RIFF', 4, 'WAVEfmt ', [16, 0, 0, 0, tag, 0, 1, 0], 12, 'data', 4)
const OGG = (packet: string) => bytes('OggS', [0, 2], 20, [1, packet.length], packet)
const FTYP = (...brands: readonly string[]) => {
  const [major = '', ...rest] = brands
  return bytes([0, 0, 0, 16 + 4 * rest.length], 'ftyp', major, 4, rest.join(''))
}
const EBML = (type: string) =>
  bytes([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x86, 0x81, 1, 0x42, 0x82, 0x80 + type.length], type)
const STSD = (entry: string) => bytes(4, 'stsd', 4, [0, 0, 0, 1, 0, 0, 0, 40], entry)
const GUID = [0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9, 0x00, 0xaa, 0x00, 0x62, 0xce, 0x6c]

describe('a file of a known type', () => {
  it.each<[string, Uint8Array, SniffedAudio['container'], SniffedAudio['codec'], string]>([
    ['wav', FMT(1), 'wav', 'pcm', 'audio/wav'],
    ['wav of floats', FMT(3), 'wav', 'float', 'audio/wav'],
    ['wav of A-law', FMT(6), 'wav', 'alaw', 'audio/wav'],
    ['wav of mu-law', FMT(7), 'wav', 'mulaw', 'audio/wav'],
    ['wav with MP3 inside', FMT(0x55), 'wav', 'mp3', 'audio/wav'],
    ['wav of ADPCM', FMT(2), 'wav', undefined, 'audio/wav'],
    [
      'wav with a chunk before',
      bytes('RIFF', 4, 'WAVEJUNK', [3, 0, 0, 0], 4, FMT(1).subarray(12)),
      'wav',
      'pcm',
      'audio/wav',
    ],
    ['long wav', bytes('RF64', [255, 255, 255, 255], 'WAVEds64', [28, 0, 0, 0], 28), 'wav', undefined, 'audio/wav'],
    ['wav of twelve bytes', bytes('RIFF', 4, 'WAVE'), 'wav', undefined, 'audio/wav'],
    ['mp3', bytes(MP3_FRAME, MP3_FRAME), 'mp3', 'mp3', 'audio/mpeg'],
    ['mp3 of one frame', MP3_FRAME, 'mp3', 'mp3', 'audio/mpeg'],
    ['mp3 with a tag', bytes(ID3(200), MP3_FRAME, MP3_FRAME), 'mp3', 'mp3', 'audio/mpeg'],
    ['mp3 with a tag and padding', bytes(ID3(9), 50, MP3_FRAME, MP3_FRAME), 'mp3', 'mp3', 'audio/mpeg'],
    ['mp3 with a picture', bytes('ID3', [3, 0, 0, 1, 0, 0, 0], 4096), 'mp3', 'mp3', 'audio/mpeg'],
    ['mp2', bytes([0xff, 0xfd, 0x80, 0], 413, [0xff, 0xfd, 0x80, 0], 413), 'mp3', 'mp2', 'audio/mpeg'],
    ['aac', bytes(ADTS_FRAME, ADTS_FRAME), 'adts', 'aac', 'audio/aac'],
    ['aac with a tag', bytes(ID3(3), ADTS_FRAME, ADTS_FRAME), 'adts', 'aac', 'audio/aac'],
    ['flac', bytes('fLaC', [0, 0, 0, 34], 34), 'flac', 'flac', 'audio/flac'],
    ['opus', OGG('OpusHead'), 'ogg', 'opus', 'audio/ogg'],
    ['vorbis', OGG('\x01vorbis'), 'ogg', 'vorbis', 'audio/ogg'],
    ['flac in ogg', OGG('\x7fFLAC'), 'ogg', 'flac', 'audio/ogg'],
    ['speex', OGG('Speex   '), 'ogg', 'speex', 'audio/ogg'],
    ['another stream in ogg', OGG('\x80theora'), 'ogg', undefined, 'audio/ogg'],
    ['m4a', bytes(FTYP('M4A ', 'isom'), STSD('mp4a')), 'mp4', 'aac', 'audio/mp4'],
    ['m4a with its index at the end', FTYP('M4A '), 'mp4', undefined, 'audio/mp4'],
    ['m4a of ALAC', bytes(FTYP('M4A '), STSD('alac')), 'mp4', 'alac', 'audio/mp4'],
    ['mp4 with a video first', bytes(FTYP('isom', 'avc1'), STSD('avc1'), STSD('mp4a')), 'mp4', 'aac', 'audio/mp4'],
    ['mp4 of a known brand among others', FTYP('XXXX', 'YYYY', 'mp42'), 'mp4', undefined, 'audio/mp4'],
    ['3gp', bytes(FTYP('3gp5'), STSD('samr')), 'mp4', 'amr-nb', 'audio/mp4'],
    ['quicktime', FTYP('qt  '), 'mp4', undefined, 'audio/mp4'],
    ['webm', bytes(EBML('webm'), 100, 'A_OPUS'), 'webm', 'opus', 'audio/webm'],
    ['webm of vorbis', bytes(EBML('webm'), 'A_VORBIS'), 'webm', 'vorbis', 'audio/webm'],
    ['matroska', bytes(EBML('matroska'), 'A_AAC'), 'matroska', 'aac', 'audio/x-matroska'],
    ['aiff', bytes('FORM', 4, 'AIFF'), 'aiff', 'pcm', 'audio/aiff'],
    ['aifc', bytes('FORM', 4, 'AIFC'), 'aiff', undefined, 'audio/aiff'],
    ['amr', text('#!AMR\n<'), 'amr', 'amr-nb', 'audio/amr'],
    ['amr-wb', text('#!AMR-WB\n<'), 'amr', 'amr-wb', 'audio/amr-wb'],
    ['caf', bytes('caff', [0, 1, 0, 0]), 'caf', undefined, 'audio/x-caf'],
    ['wma', bytes(GUID, 20), 'asf', undefined, 'audio/x-ms-wma'],
  ])('%s', (_, file, container, codec, mediaType) => {
    expect(sniffAudio(file)).toEqual({ container, codec, mediaType })
  })

  it.each(['wav', 'mp3', 'opus', 'flac'] as const)('%s of our own encoder', async (format) => {
    const pcm = Uint8Array.from({ length: 20_000 }, (_, index) => (index * index) % 90)
    const file = await collect(encodeAudio([pcm], { format, inputRate: 16_000 }))
    expect(sniffAudio(file.subarray(0, SNIFF_BYTES))?.codec).toBe(format === 'wav' ? 'pcm' : format)
  })
})

describe('nothing is recognised in', () => {
  it.each<[string, Uint8Array]>([
    ['nothing', bytes()],
    ['a playlist', text('#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:1,\nfile:///etc/passwd\n')],
    ['a list for ffmpeg', text("ffconcat version 1.0\nfile '/etc/passwd'\n")],
    ['a playlist of another kind', text('[playlist]\nFile1=http://127.0.0.1/\n')],
    ['text', text('hello')],
    ['subtitles', text('1\n00:00:00,000 --> 00:00:01,000\nhello\n')],
    ['SVG', text('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>')],
    ['SDP', text('v=0\no=- 0 0 IN IP4 127.0.0.1\n')],
    ['JSON', text('{"audio":1}')],
    ['a zip', bytes('PK', [3, 4], 100)],
    ['a zip with MP3 frames behind', bytes('PK', [3, 4], 4, MP3_FRAME, MP3_FRAME)],
    ['a GIF with a WAV behind', bytes('GIF89a', 10, FMT(1))],
    ['a PDF with an ID3 tag behind', bytes('%PDF-1.7\n', ID3(9), MP3_FRAME, MP3_FRAME)],
    ['HTML with an Ogg file behind', bytes('<html>', OGG('OpusHead'))],
    ['a JPEG', bytes([0xff, 0xd8, 0xff, 0xe0, 0, 16], 'JFIF', 100)],
    ['a UTF-16 text', bytes([0xff, 0xfe, 0x41, 0], 100)],
    ['bytes of ones', new Uint8Array(4096).fill(0xff)],
    ['one frame mark', bytes([0xff, 0xfb, 0x90, 0x00], 1000)],
    ['a frame mark of another stream behind', bytes(MP3_FRAME, [0xff, 0xf3, 0x90, 0x00], 500)],
    ['a frame without bit rate', bytes([0xff, 0xfb, 0x00, 0], 413, [0xff, 0xfb, 0x00, 0])],
    ['a tag with a size that cannot be', bytes('ID3', [4, 0, 0, 0x80, 0, 0, 0], 100)],
    ['a tag of version 9', bytes('ID3', [9, 0, 0, 0, 0, 0, 9], 9, MP3_FRAME, MP3_FRAME)],
    ['a tag before text', bytes(ID3(9), 'hello hello hello hello')],
    ['a tag before a playlist', bytes(ID3(9), '#EXTM3U\nfile:///etc/passwd\n')],
    ['AVI', bytes('RIFF', 4, 'AVI LIST')],
    ['WebP', bytes('RIFF', 4, 'WEBPVP8 ')],
    ['AVIF', FTYP('avif', 'mif1', 'miaf')],
    ['HEIC with brands of a video', FTYP('heic', 'mp42', 'isom')],
    ['an index with a box that cannot be', bytes([0xff, 0xff, 0xff, 0xff], 'ftypM4A ')],
    ['EBML of another type', EBML('docs')],
    ['an Ogg page of version 1', bytes('OggS', [1, 2], 22, 'OpusHead')],
    ['flac without information', bytes('fLaC', [4, 0, 0, 34])],
    ['IFF of another type', bytes('FORM', 4, 'ILBM')],
    ['an archive', bytes([0x1f, 0x8b, 8, 0], 100)],
    ['a model', bytes('GGUF', [3, 0, 0, 0], 100)],
  ])('%s', (_, file) => {
    expect(sniffAudio(file)).toBeUndefined()
  })

  it('random bytes behind any frame mark', () => {
    const mark = fc.tuple(fc.integer({ min: 0xe0, max: 0xff }), fc.uint8Array({ minLength: 1500, maxLength: 3000 }))
    fc.assert(fc.property(mark, ([second, rest]) => sniffAudio(bytes([0xff, second], rest)) === undefined))
  })
})

describe('whatever the bytes', () => {
  const files = [FMT(1), OGG('OpusHead'), bytes(FTYP('M4A '), STSD('mp4a')), bytes(EBML('webm'), 'A_OPUS')].concat(
    bytes(ID3(20), MP3_FRAME, MP3_FRAME),
    bytes(ADTS_FRAME, ADTS_FRAME),
    encodeWavHeader({ sampleRate: 8000 }),
  )

  it('nothing is thrown, and the answer is one of the known', () => {
    const change = fc.record({
      file: fc.constantFrom(...files),
      length: fc.double({ min: 0, max: 1, noNaN: true }),
      flips: fc.array(fc.tuple(fc.nat(2000), fc.integer({ min: 0, max: 255 })), { maxLength: 6 }),
    })
    fc.assert(
      fc.property(change, ({ file, length, flips }) => {
        const changed = file.slice(0, Math.round(file.length * length))
        for (const [at, value] of flips) if (at < changed.length) changed[at] = value
        const found = sniffAudio(changed)
        expect(found === undefined || found.mediaType.startsWith('audio/')).toBe(true)
      }),
      { numRuns: 300 },
    )
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (random) => void sniffAudio(random)))
  })

  it('refuses what is not bytes', () => {
    expect(() => sniffAudio('RIFF' as never)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
  })
})
