import { eventually } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { CHROMIUM_OFFER } from '../sdp/__fixtures__/chromium-offer.ts'
import { readOffer } from '../sdp/read-offer.ts'
import { answerOffer, type ConnectionOptions } from './connection.ts'
import type { MediaLibrary } from './library.ts'

/** A library whose connections find their addresses when they are told to. */
function createLibrary() {
  const gathering: (() => void)[] = []
  class PeerConnection {
    onDataChannel(): void {}
    onStateChange(): void {}
    onGatheringStateChange(listener: (state: string) => void): void {
      gathering.push(() => listener('complete'))
    }
    setRemoteDescription(): void {}
    setLocalDescription(): void {}
    addTrack = () => ({ onMessage: () => undefined, close: () => undefined })
    localDescription = () => ({ sdp: 'v=0', type: 'answer' })
    close(): void {}
  }
  class Audio {
    addOpusCodec(): void {}
    addSSRC(): void {}
  }
  return { gathering, library: { PeerConnection, Audio } as unknown as MediaLibrary }
}

it('opens the sockets of one connection after the other', async () => {
  const { gathering, library } = createLibrary()
  const answer = (signal: AbortSignal) => {
    const listener = {} as ConnectionOptions['listener']
    return answerOffer({ library, offer: readOffer(CHROMIUM_OFFER), source: 1, udpPort: 0, listener, signal })
  }
  const leaving = new AbortController()
  const { signal } = new AbortController()
  const [one, gone, two] = [answer(signal), answer(leaving.signal), answer(signal)]
  await eventually(() => expect(gathering).toHaveLength(1))
  leaving.abort(new Error('left'))
  gathering.shift()?.()
  expect((await one).answer).toBe('v=0')
  await expect(gone).rejects.toThrow('left')
  await eventually(() => expect(gathering).toHaveLength(1))
  gathering.shift()?.()
  expect((await two).answer).toBe('v=0')
})
