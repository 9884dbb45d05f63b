import type { InferenceParts, InferenceRoom } from '../compose-inference.ts'
import type { RequestCore } from '../inference/pipeline.ts'

/** The request path. The first request, or whoever asks for the room, loads its modules: they are most of the server. */
export interface LateInference {
  readonly core: RequestCore
  /** The room; the first call makes it. */
  open(): Promise<InferenceRoom>
  /** The room where something has opened it. */
  opened(): InferenceRoom | undefined
  close(): Promise<void>
}

/** Makes the request path of a server. Nothing of it is loaded yet. */
export function createLateInference(parts: Omit<InferenceParts, 'registry'>): LateInference {
  let opening: Promise<InferenceRoom> | undefined
  let room: InferenceRoom | undefined

  async function load(): Promise<InferenceRoom> {
    const [{ composeInference }, registry] = await Promise.all([
      import('../compose-inference.ts'),
      parts.metrics.registry(),
    ])
    room = composeInference({ ...parts, registry })
    return room
  }
  const open = (): Promise<InferenceRoom> => {
    opening ??= load()
    return opening
  }
  return {
    core: {
      serve(request, deliver) {
        // An `await` would cost each request a turn of the event loop.
        return room === undefined
          ? open().then(({ core }) => core.serve(request, deliver))
          : room.core.serve(request, deliver)
      },
    },
    open,
    opened: () => room,
    async close() {
      await (await opening)?.close()
    },
  }
}
