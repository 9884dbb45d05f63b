import type { ExtensionHandlers } from '@svc/backend-kit'
import type { ModelHost } from '../model-host.ts'

export function createSlotHandlers(host: ModelHost): Pick<ExtensionHandlers, 'saveSlot' | 'restoreSlot'> {
  return {
    saveSlot: async ({ modelIdentity, slot, path, maxBytes }, { signal }) => {
      const model = host.use(modelIdentity)
      const startedAt = performance.now()
      const saved = await model.saveSlot({ slot, file: path, maxBytes: Number(maxBytes) }, { signal })
      return describe(saved, startedAt)
    },
    restoreSlot: async ({ modelIdentity, slot, path }, { signal }) => {
      const model = host.use(modelIdentity)
      const startedAt = performance.now()
      const restored = await model.restoreSlot({ slot, file: path }, { signal })
      return describe(restored, startedAt)
    },
  }
}

function describe(
  { tokens, bytes }: { readonly tokens: number; readonly bytes: number },
  startedAt: number,
): { tokens: bigint; bytes: bigint; milliseconds: number } {
  return { tokens: BigInt(tokens), bytes: BigInt(bytes), milliseconds: performance.now() - startedAt }
}
