import { createLazy } from '../../concurrency/lazy.ts'
import type { RequestCore } from '../../inference/core/pipeline.ts'
import type { InferenceModule, InferenceParts } from '../compose-inference.ts'

/** The request path. The first request or `open()` loads its code, which is most of the server. */
export interface LazyInference {
  readonly core: RequestCore
  /** Composes the request path with the first call. */
  open(): Promise<InferenceModule>
  /** The request path; undefined before it is composed. */
  opened(): InferenceModule | undefined
  close(): Promise<void>
}

/** Makes the request path of a server. Nothing of it is loaded yet. */
export function createLazyInference(
  parts: Omit<InferenceParts, 'registry'> & {
    /** Loads the spans before the first request. */
    readonly openSpans: () => Promise<void>
  },
): LazyInference {
  const { open, opened, settled } = createLazy(async () => {
    const [{ composeInference }, registry] = await Promise.all([
      import('../compose-inference.ts'),
      parts.metrics.registry(),
      parts.openSpans(),
    ])
    return composeInference({ ...parts, registry })
  })
  return {
    core: {
      serve(request, deliver) {
        const composed = opened()
        // An `await` would cost each request a turn of the event loop.
        return composed === undefined
          ? open().then(({ core }) => core.serve(request, deliver))
          : composed.core.serve(request, deliver)
      },
    },
    open,
    opened,
    async close() {
      await (await settled())?.close()
    },
  }
}
