import { installNamedModels } from '../features/named-models.ts'
import { enqueueStartInstalls } from '../features/start-installs.ts'
import type { PlatformOptions } from '../platform/open-platform.ts'
import { runWithoutApi } from './run-without-api.ts'

/**
 * Installs everything that the configuration asks for at a start, and serves nothing (`--preload-backend-only`). A signal
 * pauses it: the next start goes on.
 *
 * @returns whether all of it is installed
 */
export async function installOnly(
  options: PlatformOptions,
  { signal }: { readonly signal: AbortSignal },
): Promise<boolean> {
  return runWithoutApi(options, async (platform) => {
    const { operations, log } = platform
    operations.start()
    try {
      const started = await enqueueStartInstalls(platform)
      const ends = await Promise.all(started.map(({ jobId }) => operations.waitForEnd(jobId, { signal })))
      const failed = ends.filter((end) => end?.state !== 'completed')
      for (const end of failed) log.error({ name: end?.fullName, reason: end?.error }, 'installation failed')
      const isNamedComplete = await installNamedModels(platform, { signal, loads: false })
      return failed.length === 0 && isNamedComplete
    } catch (error) {
      if (!signal.aborted) throw error
      return false
    } finally {
      await operations.close()
    }
  })
}
