import { type SoundClassificationReply, soundClassificationForm } from '@svc/wire/native'
import { readBody } from '../../../../inference/documents/read-body.ts'
import { SOUND_FORM, takeSound } from '../../../../inference/media/sound-file.ts'
import { toOperationCall, type WireFormat } from '../../../../inference/replies/wire-format.ts'

/** The wire format of `POST /v1/audio/classification`. */
export const soundClassificationFormat: WireFormat = {
  form: SOUND_FORM,
  async read(document, { files, media, signal }) {
    const form = await readBody(soundClassificationForm, document, signal)
    return toOperationCall<'classify-sound'>(
      {
        kind: 'classify-sound',
        topK: form.top_k ?? 0,
        threshold: form.threshold ?? 0,
        path: await takeSound(files, media),
      },
      ({ classes }, { model }): SoundClassificationReply => ({
        model,
        detections: classes.map(({ index, label, score }) => ({ index, label, score })),
      }),
    )
  },
}
