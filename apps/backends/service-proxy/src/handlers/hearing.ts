import { dirname, join } from 'node:path'
import type { BackendHandlers } from '@svc/backend-kit'
import { readInput, writeOutput } from '../files.ts'
import type { ServiceHost } from '../host.ts'

type HearingHandlers = Pick<BackendHandlers, 'vad' | 'diarize' | 'soundDetection' | 'audioTransform'>

/** VAD, Diarize, SoundDetection and AudioTransform. */
export function createHearingHandlers(host: ServiceHost): HearingHandlers {
  return {
    vad: async ({ ModelIdentity, audio }, { signal }) => ({
      segments: [...(await host.use(ModelIdentity).findVoice(audio, { signal }))],
    }),
    diarize: async (request, { signal }) => {
      const { ModelIdentity, dst, threads: _threads, ...input } = request
      const service = host.use(ModelIdentity)
      const { segments, ...rest } = await service.diarize({ ...input, file: await readInput(dst) }, { signal })
      return { ...rest, segments: [...segments] }
    },
    soundDetection: async ({ ModelIdentity, src, topK, threshold }, { signal }) => {
      const service = host.use(ModelIdentity)
      const input = { file: await readInput(src), topK, threshold }
      return { detections: [...(await service.classifySound(input, { signal }))] }
    },
    audioTransform: async (request, { signal }) => {
      const { ModelIdentity, audioPath, referencePath, dst, params } = request
      const service = host.use(ModelIdentity)
      const reference = referencePath === '' ? undefined : await readInput(referencePath)
      const changed = await service.transformSound({ audio: await readInput(audioPath), reference, params }, { signal })
      await writeOutput(dst, changed.body)
      const stems: { name: string; dst: string }[] = []
      for (const [index, { name, url }] of changed.stems.entries()) {
        // The name is the instance's: no part of a path.
        const path = join(dirname(dst), `${stemName(dst)}-stem-${index}.wav`)
        await writeOutput(path, await service.download(url, { signal }))
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
