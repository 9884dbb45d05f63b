import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHROMIUM_OFFER } from './__fixtures__/chromium-offer.ts'
import { findOwnAddresses } from './own-addresses.ts'
import { readOffer } from './read-offer.ts'
import { writeAnswer } from './write-answer.ts'
import { writeOffer } from './write-offer.ts'

describe('an offer', () => {
  it('of a browser is read', () => {
    expect(readOffer(CHROMIUM_OFFER)).toEqual({
      sound: { kind: 'audio', mid: '0', payloadType: 111, direction: 'sendrecv' },
      channels: { kind: 'application', mid: '1', port: 5000, maxMessageBytes: 262_144 },
      media: [expect.objectContaining({ kind: 'audio' }), expect.objectContaining({ kind: 'application' })],
      ice: { name: 'mhP4', password: 'v7WbeVZUQqXGgUzkVYVPN4f5' },
      fingerprint: { algorithm: 'sha-256', value: expect.stringMatching(/^F0:/) },
      setup: 'actpass',
    })
  })

  // verifies realtime:calls:addresses
  it('is written anew without addresses, other codecs and extensions', () => {
    const text = writeOffer(readOffer(CHROMIUM_OFFER))
    expect(text).not.toMatch(/candidate|extmap|PCMU|telephone|local/)
    expect(text.match(/^m=.*$/gm)).toEqual([
      'm=audio 9 UDP/TLS/RTP/SAVPF 111',
      'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
    ])
    expect(readOffer(text)).toEqual(readOffer(CHROMIUM_OFFER))
  })

  it('keeps the order of its parts', () => {
    const [head = '', sound = '', channels = ''] = CHROMIUM_OFFER.split(/(?=^m=)/m)
    expect(writeOffer(readOffer(head + channels + sound)).match(/^a=mid:.*$/gm)).toEqual(['a=mid:1', 'a=mid:0'])
  })

  it('may have no data channels', () => {
    const [head = '', sound = ''] = CHROMIUM_OFFER.split(/(?=^m=)/m)
    expect(readOffer(head + sound).channels).toBeUndefined()
  })

  const sound = CHROMIUM_OFFER.split(/(?=^m=)/m)[1] ?? ''
  it.each([
    ['not begin with v=0', 'hello'],
    ['larger than 65536 bytes', `v=0\r\na=${'x'.repeat(70_000)}\r\n`],
    ['more than 1000 lines', `v=0\r\n${'a=x\r\n'.repeat(2000)}`],
    ['more than 16 parts', `v=0\r\n${'m=audio 9 x 0\r\n'.repeat(20)}`],
    ['a line of it is not', `${CHROMIUM_OFFER}what\r\n`],
    ['no sound', CHROMIUM_OFFER.replace(sound, '')],
    ['more than one sound track', CHROMIUM_OFFER.replace(sound, sound + sound)],
    ['something else than', CHROMIUM_OFFER.replace('m=audio', 'm=video')],
    ['something else than', CHROMIUM_OFFER.replace('UDP/TLS/RTP/SAVPF', 'RTP/AVP')],
    ['no Opus', CHROMIUM_OFFER.replace('opus/48000', 'speex/48000')],
    ['no Opus', CHROMIUM_OFFER.replace('rtpmap:111', 'rtpmap:200')],
    ['no Opus', CHROMIUM_OFFER.replaceAll('111', '72')],
    ['sound is inactive', CHROMIUM_OFFER.replace('a=sendrecv', 'a=inactive')],
    ['name and password of ICE', CHROMIUM_OFFER.replaceAll('a=ice-pwd:', 'a=x:')],
    ['fingerprint', CHROMIUM_OFFER.replaceAll('sha-256', 'md5')],
    ['setup', CHROMIUM_OFFER.replaceAll('actpass', 'holdconn')],
    ['no mid', CHROMIUM_OFFER.replace('a=mid:0', 'a=mid:<script>')],
    ['max-message-size is not', CHROMIUM_OFFER.replace('262144', 'big')],
    ['ICE lite', CHROMIUM_OFFER.replace('s=-', 's=-\r\na=ice-lite')],
  ])('is refused: %s', (reason, text) => {
    expect(() => readOffer(text)).toThrow(reason)
  })

  it('that is changed anywhere is refused, or has only checked values', () => {
    const edits = fc.array(
      fc.record({ at: fc.nat(CHROMIUM_OFFER.length - 1), cut: fc.nat(8), text: fc.string({ maxLength: 8 }) }),
      { minLength: 1, maxLength: 4 },
    )
    fc.assert(
      fc.property(edits, (all) => {
        const text = all.reduce(
          (sdp, { at, cut, text: put }) => sdp.slice(0, at) + put + sdp.slice(at + cut),
          CHROMIUM_OFFER,
        )
        try {
          const offer = readOffer(text)
          expect(readOffer(writeOffer(offer))).toEqual(offer)
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_sdp' })
        }
      }),
      { numRuns: 500 },
    )
  })
})

const ANSWER = [
  ...['v=0', 'm=audio 4000 UDP/TLS/RTP/SAVPF 111', 'c=IN IP4 192.0.2.2'],
  ...['a=candidate:2 1 UDP 2116026111 fd00::2 4000 typ host', 'a=candidate:1 1 UDP 2114977791 192.0.2.2 4001 typ host'],
  ...['a=end-of-candidates', 'm=application 4000 UDP/DTLS/SCTP webrtc-datachannel', ''],
].join('\r\n')

describe('an answer', () => {
  const tell = (answer: string): (string | undefined)[] =>
    [...answer.matchAll(/^a=candidate:\d+ 1 UDP \d+ (\S+ \d+) typ host\r$/gm)].map(([, told]) => told)

  it('tells the addresses of the server', () => {
    const text = writeAnswer(ANSWER, { allowed: undefined, further: [] })
    expect(tell(text)).toEqual(['fd00::2 4000', '192.0.2.2 4001'])
    expect(text).toContain('m=audio 9 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r\n')
  })

  it('tells the ones from outside first, with the port of their family', () => {
    const text = writeAnswer(ANSWER, { allowed: new Set(['192.0.2.2']), further: ['203.0.113.7', '2001:db8::1'] })
    expect(tell(text)).toEqual(['203.0.113.7 4001', '2001:db8::1 4000', '192.0.2.2 4001'])
  })

  it('is refused where no address is left', () => {
    expect(() => writeAnswer(ANSWER, { allowed: new Set(), further: [] })).toThrow('no network address')
  })

  // verifies realtime:calls:own-addresses
  it('tells those of the interfaces that are set, and the machine itself to its own clients', () => {
    const machine = () => ({ eth0: [{ address: '192.0.2.2' }], lo: [{ address: '127.0.0.1' }] }) as never
    const find = (interfaces: string[], client: string) =>
      findOwnAddresses({ interfaces, outside: ['203.0.113.7'] }, client, machine)
    expect(find([], '198.51.100.1')).toEqual({ allowed: undefined, further: ['203.0.113.7'] })
    expect(find([], 'p2p/127.0.0.1')).toEqual({ allowed: undefined, further: ['203.0.113.7'] })
    expect(find(['eth0', 'eth9'], '::1')).toEqual({
      allowed: new Set(['192.0.2.2']),
      further: ['203.0.113.7', '127.0.0.1'],
    })
  })
})
