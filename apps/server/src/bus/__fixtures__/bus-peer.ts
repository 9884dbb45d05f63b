import type { Bus } from '../bus.ts'
import { type Messages, SUBJECTS, type Subject } from '../subjects.ts'

/** A message as a peer has heard it. */
export interface HeardMessage {
  readonly subject: string
  readonly message: unknown
}

/** A further member of the bus, seen from a test. */
export interface BusPeer {
  publish<S extends Subject>(subject: S, message: Messages[S]): Promise<void>
  heard(): Promise<readonly HeardMessage[]>
}

/** Listens to every subject of a bus. */
export function createPeer(bus: Bus): BusPeer {
  const heard: HeardMessage[] = []
  // Each key of the table is a subject.
  for (const subject of Object.keys(SUBJECTS) as Subject[]) {
    bus.subscribe(subject, (message) => void heard.push({ subject, message }))
  }
  return {
    publish: async (subject, message) => bus.publish(subject, message),
    heard: async () => heard,
  }
}
