import { dirname, join } from 'node:path'
import type { BackendHandlers } from '@svc/backend-kit'
import { toCall } from '../call.ts'
import { readInput, writeOutput } from '../files.ts'
import type { ServiceHost } from '../host.ts'

/** SoundDetection and AudioTransform. */
export function createSoundHandlers(host: ServiceHost): Pick<BackendHandlers, 'soundDetection' | 'audioTransform'> {
  return {
    soundDetection: async ({ ModelIdentity, src, topK, threshold }, context) => {
      const service = host.use(ModelIdentity)
      const input = { file: await readInput(src), topK, threshold }
      return { detections: [...(await service.classifySound(input, toCall(context)))] }
    },
    audioTransform: async (request, context) => {
      const { ModelIdentity, audioPath, referencePath, dst, params } = request
      const service = host.use(ModelIdentity)
      const reference = referencePath === '' ? undefined : await readInput(referencePath)
      const changed = await service.transformAudio(
        { audio: await readInput(audioPath), reference, params },
        toCall(context),
      )
      await writeOutput(dst, changed.body)
      const stems: { name: string; dst: string }[] = []
      for (const [index, { name, url }] of changed.stems.entries()) {
        // The instance chose the name: it must not become part of a path.
        const path = join(dirname(dst), `${stemName(dst)}-stem-${index}.wav`)
        await writeOutput(path, await service.download(url, toCall(context)))
        stems.push({ name, dst: path })
      }
      return { dst, referenceProvided: reference !== undefined, stems }
    },
  }
}

function stemName(path: string): string {
  return path
    .slice(dirname(path).length)
    .replace(/^[\\/]+/, '')
    .replace(/\.[^.]*$/, '')
}
