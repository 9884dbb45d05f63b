import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TextField } from '../../components/ui/field.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { api, unwrap } from '../../lib/api-client.ts'
import { toUrl } from '../../lib/base-path.ts'
import { type Picture, toDataUrl } from '../../lib/media/picture.ts'
import { useSession } from '../../lib/session.ts'
import { writeCurl } from './commands.ts'
import { FileDrop } from './file-drop.tsx'
import { FoundObjects } from './found-objects.tsx'
import { MediaForm } from './media-form.tsx'
import { NumberField, type NumberRange, readNumber } from './number-field.tsx'
import * as styles from './playground.module.css'
import { usePicture } from './use-picture.ts'
import { useRun } from './use-run.ts'

const SCORE: NumberRange = { min: 0, max: 1, step: 0.05 }
/** Longest side of a picture that is looked at, in points. */
const MAX_SIDE = 4096

/** Finds objects in a picture. @param children content above the fields */
export function DetectionForm({ model, children }: { readonly model: string; readonly children: ReactNode }) {
  const { t } = useTranslation('playground')
  const { viewer } = useSession()
  const [prompt, setPrompt] = useState('')
  const [least, setLeast] = useState('')
  const source = usePicture(MAX_SIDE)
  const { picture } = source
  const threshold = readNumber(least, SCORE)
  const toBody = (image: string) => ({
    model,
    image,
    ...(prompt.trim() !== '' && { prompt }),
    ...(typeof threshold === 'number' && { threshold }),
  })
  const run = useRun(async (seen: Picture, signal) => {
    const body = toBody(await toDataUrl(seen.file))
    return { picture: seen, ...(await unwrap(api.POST('/v1/detection', { body, signal }))) }
  })
  return (
    <MediaForm
      run={run}
      isReady={picture !== undefined && threshold !== 'wrong' && !source.isLoading}
      onRun={() => picture && run.start(picture)}
      action={t('detection.run')}
      command={writeCurl(toUrl('/v1/detection'), toBody('…'), viewer.kind !== 'open')}
      fields={
        <>
          {children}
          <FileDrop
            accept="image/*"
            file={picture?.file}
            title={t('detection.drop')}
            onFile={(file) => void source.take(async () => file)}
          />
          {source.isUnreadable && <Notice tone="bad">{t('file.unreadable')}</Notice>}
          <div className={styles.fields}>
            <TextField
              label={t('detection.prompt')}
              hint={t('detection.promptAbout')}
              value={prompt}
              onChange={({ target }) => setPrompt(target.value)}
            />
            <NumberField
              label={t('detection.threshold')}
              text={least}
              range={SCORE}
              placeholder={t('ofModel')}
              onChange={setLeast}
            />
          </div>
        </>
      }
    >
      {run.reply && <FoundObjects {...run.reply} least={typeof threshold === 'number' ? threshold : 0} />}
    </MediaForm>
  )
}
