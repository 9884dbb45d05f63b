import { SvcError } from '@svc/errors'
import { isMediaType } from '../rtp/rtp-packet.ts'
import { type Media, type Section, splitDescription } from './split-description.ts'

/** Which way sound goes, seen from one side. */
export type Direction = 'sendrecv' | 'sendonly' | 'recvonly'

/** The sound of an offer. */
export interface OfferedSound {
  readonly kind: 'audio'
  readonly mid: string
  /** The number of Opus, 0..127. */
  readonly payloadType: number
  /** As the client sees it. */
  readonly direction: Direction
}

/** The data channels of an offer. */
export interface OfferedChannels {
  readonly kind: 'application'
  readonly mid: string
  readonly port: number
  /** Largest message that the client takes, bytes. */
  readonly maxMessageBytes: number
}

/** An offer of a client: what of it a call uses, checked. */
export interface Offer {
  /** One of sound, and one of data channels at most, in the order of the offer. */
  readonly media: readonly (OfferedSound | OfferedChannels)[]
  readonly sound: OfferedSound
  readonly channels: OfferedChannels | undefined
  readonly ice: { readonly name: string; readonly password: string }
  readonly fingerprint: { readonly algorithm: string; readonly value: string }
  readonly setup: string
}

const MID = /^[\w.+-]{1,64}$/
const ICE_NAME = /^[A-Za-z0-9+/]{4,256}$/
const ICE_PASSWORD = /^[A-Za-z0-9+/]{22,256}$/
const FINGERPRINT = /^(sha-(?:1|224|256|384|512)) ([0-9A-F]{2}(?::[0-9A-F]{2}){19,63})$/i
const DIRECTIONS = ['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const
/** Of a client that does not say: RFC 8841, section 6. */
const DEFAULT_MESSAGE_BYTES = 65_536

/**
 * Reads an offer. What a call does not use is left out: other codecs, extensions, and the addresses of the client, to
 * which nothing is sent before the client has shown that it is there.
 *
 * @throws {SvcError} `invalid_request` with the code `invalid_sdp`
 */
export function readOffer(text: string): Offer {
  const { session, media } = splitDescription(text)
  const sections = media.map((section) => readMedia(section))
  const sound = sections.find((section) => section.kind === 'audio')
  if (sound === undefined) throw wrongOffer('it offers no sound')
  const channels = sections.find((section) => section.kind === 'application')
  if (sections.filter(({ kind }) => kind === 'audio').length > 1)
    throw wrongOffer('it offers more than one sound track')
  if (sections.length > (channels === undefined ? 1 : 2)) throw wrongOffer('it offers data channels more than once')
  if (has(session, 'ice-lite')) throw wrongOffer('clients of ICE lite cannot be reached')
  const [first] = media
  const find = (name: string): string | undefined =>
    (first === undefined ? undefined : value(first, name)) ?? value(session, name)
  return { media: sections, sound, channels, ...readTransport(find) }
}

function readTransport(find: (name: string) => string | undefined): Pick<Offer, 'ice' | 'fingerprint' | 'setup'> {
  const [name = '', password = ''] = [find('ice-ufrag'), find('ice-pwd')]
  if (!ICE_NAME.test(name) || !ICE_PASSWORD.test(password)) throw wrongOffer('it has no name and password of ICE')
  const [, algorithm, digest] = FINGERPRINT.exec(find('fingerprint') ?? '') ?? []
  if (algorithm === undefined || digest === undefined) throw wrongOffer('it has no fingerprint of a certificate')
  const setup = find('setup') ?? 'actpass'
  if (!['actpass', 'active', 'passive'].includes(setup)) throw wrongOffer('its setup is not actpass, active or passive')
  return { ice: { name, password }, fingerprint: { algorithm, value: digest }, setup }
}

function readMedia(section: Media): OfferedSound | OfferedChannels {
  const mid = value(section, 'mid') ?? ''
  if (!MID.test(mid)) throw wrongOffer('a part of it has no mid')
  if (section.kind === 'audio' && section.protocol.endsWith('/SAVPF')) {
    return { kind: 'audio', mid, payloadType: findOpus(section), direction: readDirection(section) }
  }
  if (section.kind !== 'application' || !section.protocol.endsWith('/SCTP')) {
    throw wrongOffer('it offers something else than sound and data channels')
  }
  const [port, maxMessageBytes] = [
    readNumber(section, 'sctp-port') ?? 5000,
    readNumber(section, 'max-message-size') ?? DEFAULT_MESSAGE_BYTES,
  ]
  if (port < 1 || port > 65_535) throw wrongOffer('its sctp-port is not a port')
  return { kind: 'application', mid, port, maxMessageBytes }
}

function findOpus(section: Media): number {
  for (const text of values(section, 'rtpmap')) {
    const [, type] = /^(\d{1,3}) opus\/48000\/2$/i.exec(text) ?? []
    if (type !== undefined && isMediaType(Number(type)) && section.formats.includes(type)) return Number(type)
  }
  throw wrongOffer('it offers no Opus')
}

function readDirection(section: Media): Direction {
  const direction = DIRECTIONS.find((each) => has(section, each)) ?? 'sendrecv'
  if (direction === 'inactive') throw wrongOffer('its sound is inactive')
  return direction
}

function readNumber(section: Section, name: string): number | undefined {
  const text = value(section, name)
  if (text === undefined) return undefined
  if (!/^\d{1,10}$/.test(text)) throw wrongOffer(`its ${name} is not a number`)
  return Number(text)
}

const has = ({ attributes }: Section, name: string): boolean => attributes.some((each) => each.name === name)

const values = ({ attributes }: Section, name: string): readonly string[] =>
  attributes.flatMap((each) => (each.name === name && each.value !== undefined ? [each.value] : []))

const value = (section: Section, name: string): string | undefined => values(section, name)[0]

/** The refusal of an offer. */
function wrongOffer(reason: string): SvcError {
  return new SvcError('invalid_request', `the SDP offer cannot be used: ${reason}`, { code: 'invalid_sdp' })
}
