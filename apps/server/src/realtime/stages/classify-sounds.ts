import type { ModelConfig } from '../../catalog/model-config.ts'
import type { PrivateFiles } from '../../files/private-files.ts'
import type { PipelineStages } from '../ports.ts'
import type { PartAsker } from './ask-part.ts'
import { withSoundFile } from './sound-files.ts'

/** Classes that a client is told of each stretch. */
const TOP = 5
/** Classes below this score are left out. */
const LEAST_SCORE = 0.05

/** Creates the stage that names sounds. */
export function createSoundClassifier(
  asker: PartAsker,
  { files, findModel }: { readonly files: Pick<PrivateFiles, 'create'>; readonly findModel: () => ModelConfig },
): PipelineStages['classifySounds'] {
  return async (samples, call) => {
    const asked = { model: findModel(), usecase: 'sound_classification' } as const
    const results = withSoundFile(files, samples, async function* (path) {
      yield await asker.perform<'classify-sound'>(
        { kind: 'classify-sound', path, topK: TOP, threshold: LEAST_SCORE },
        asked,
        call,
      )
    })
    for await (const { classes } of results) return classes.map(({ label, score }) => ({ label, score }))
    return []
  }
}
