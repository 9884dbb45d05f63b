import type { Offer, OfferedChannels, OfferedSound } from './read-offer.ts'

/** How Opus is sent: with data to mend losses, and in one channel. */
export const OPUS_PARAMETERS = 'minptime=10;useinbandfec=1'

/**
 * Writes an offer with what a call uses of it, and nothing else: native code never reads the words of the client.
 */
export function writeOffer(offer: Offer): string {
  const lines = [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    `a=group:BUNDLE ${offer.media.map(({ mid }) => mid).join(' ')}`,
    `a=fingerprint:${offer.fingerprint.algorithm} ${offer.fingerprint.value}`,
    ...offer.media.flatMap((media) => [
      ...(media.kind === 'audio' ? writeSound(media) : writeChannels(media)),
      `a=setup:${offer.setup}`,
      `a=ice-ufrag:${offer.ice.name}`,
      `a=ice-pwd:${offer.ice.password}`,
    ]),
  ]
  return lines.map((line) => `${line}\r\n`).join('')
}

function writeSound({ mid, payloadType, direction }: OfferedSound): string[] {
  return [
    `m=audio 9 UDP/TLS/RTP/SAVPF ${payloadType}`,
    'c=IN IP4 0.0.0.0',
    `a=mid:${mid}`,
    `a=${direction}`,
    'a=rtcp-mux',
    `a=rtpmap:${payloadType} opus/48000/2`,
    `a=fmtp:${payloadType} ${OPUS_PARAMETERS}`,
  ]
}

function writeChannels({ mid, port, maxMessageBytes }: OfferedChannels): string[] {
  return [
    'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
    'c=IN IP4 0.0.0.0',
    `a=mid:${mid}`,
    `a=sctp-port:${port}`,
    `a=max-message-size:${maxMessageBytes}`,
  ]
}
