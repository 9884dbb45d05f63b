import type { RealtimePeer, RealtimeSession } from '../../src/realtime/ports.ts'

/** What a session has seen. */
export interface EchoSession {
  readonly peer: RealtimePeer
  readonly received: string[]
  heardMs: number
  isClosed: boolean
}

/** Sessions that send back what they are told, and play what they hear. */
export function createEchoSessions() {
  const sessions: EchoSession[] = []
  return {
    sessions,
    async openSession(peer: RealtimePeer): Promise<RealtimeSession> {
      const state: EchoSession = { peer, isClosed: false, heardMs: 0, received: [] }
      sessions.push(state)
      void peer.send({ type: 'session.created' }).catch(() => undefined)
      return {
        id: `sess_${sessions.length}`,
        async receive(event) {
          const text = Buffer.from(event).toString()
          state.received.push(text)
          await peer.send({ type: 'echo', text }).catch(() => undefined)
        },
        async hear(samples, { sampleRate }) {
          state.heardMs += (samples.length * 1000) / sampleRate
          await peer.speaker?.play(samples, { sampleRate, signal: peer.signal }).catch(() => undefined)
        },
        hearBytes: async () => undefined,
        async close() {
          state.isClosed = true
        },
      }
    },
  }
}
