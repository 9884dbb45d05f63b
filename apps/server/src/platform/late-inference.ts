import type { InferenceModule, InferenceParts } from '../compose-inference.ts'
import type { RequestCore } from '../inference/pipeline.ts'

/** The request path. The first request or `open()` loads its code, which is most of the server. */
export interface LateInference {
  readonly core: RequestCore
  /** Composes the request path with the first call. */
  open(): Promise<InferenceModule>
  /** The request path; undefined before it is composed. */
  opened(): InferenceModule | undefined
  close(): Promise<void>
}

/** Makes the request path of a server. Nothing of it is loaded yet. */
export function createLateInference(
  parts: Omit<InferenceParts, 'registry'> & {
    /** Loads the spans before the first request. */
    readonly openSpans: () => Promise<void>
  },
): LateInference {
  let opening: Promise<InferenceModule> | undefined
  let composed: InferenceModule | undefined

  async function load(): Promise<InferenceModule> {
    const [{ composeInference }, registry] = await Promise.all([
      import('../compose-inference.ts'),
      parts.metrics.registry(),
      parts.openSpans(),
    ])
    composed = composeInference({ ...parts, registry })
    return composed
  }
  const open = (): Promise<InferenceModule> => {
    opening ??= load()
    return opening
  }
  return {
    core: {
      serve(request, deliver) {
        // An `await` would cost each request a turn of the event loop.
        return composed === undefined
          ? open().then(({ core }) => core.serve(request, deliver))
          : composed.core.serve(request, deliver)
      },
    },
    open,
    opened: () => composed,
    async close() {
      await (await opening)?.close()
    },
  }
}
