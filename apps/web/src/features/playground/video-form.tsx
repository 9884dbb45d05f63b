import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { SelectField } from '../../components/ui/field.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { api, unwrap } from '../../lib/api-client.ts'
import { toUrl } from '../../lib/base-path.ts'
import { toMadeUrl } from '../../lib/media/generated-files.ts'
import { toDataUrl } from '../../lib/media/picture.ts'
import type { components } from '../../lib/schema.gen.ts'
import { useSession } from '../../lib/session.ts'
import { writeCurl } from './commands.ts'
import { FileDrop } from './file-drop.tsx'
import { FilmView } from './film-view.tsx'
import { SIZES } from './image-wish.ts'
import { MediaForm } from './media-form.tsx'
import { areNumbersFit, NumberField, type NumberRange, toNumbers } from './number-field.tsx'
import * as styles from './playground.module.css'
import { PromptFields } from './prompt-fields.tsx'
import { usePicture } from './use-picture.ts'
import { useRun } from './use-run.ts'

type VideoBody = components['schemas']['VideoRequest']

const RANGES = {
  seconds: { min: 0.1, max: 600, step: 0.1 },
  fps: { min: 1, max: 240 },
  step: { min: 1, max: 1000 },
  seed: { min: 0, max: 2_147_483_647 },
} as const satisfies Record<string, NumberRange>
const NUMBERS = Object.keys(RANGES) as (keyof typeof RANGES)[]

const EMPTY = { prompt: '', negative: '', size: '', seconds: '', fps: '', step: '', seed: '' }
/** Longest side of the first image, in points. */
const MAX_SIDE = 2048

function toBody(model: string, { prompt, negative, size, ...numbers }: typeof EMPTY, start?: string): VideoBody {
  return {
    model,
    prompt,
    ...(negative.trim() !== '' && { negative_prompt: negative }),
    ...(size !== '' && { size }),
    ...toNumbers(numbers, RANGES),
    ...(start !== undefined && { start_image: start }),
  }
}

/** Makes a film of a text. @param children content above the fields */
export function VideoForm({ model, children }: { readonly model: string; readonly children: ReactNode }) {
  const { t } = useTranslation('playground')
  const { viewer } = useSession()
  const [fields, setFields] = useState(EMPTY)
  const change = (changed: Partial<typeof EMPTY>) => setFields({ ...fields, ...changed })
  const start = usePicture(MAX_SIDE)
  const { picture } = start
  const run = useRun(async (_: undefined, signal) => {
    const body = toBody(model, fields, picture && (await toDataUrl(picture.file)))
    const { data } = await unwrap(api.POST('/v1/video/generations', { body, signal }))
    return data.map((film) => toMadeUrl(film, 'video/mp4')).filter((url) => url !== undefined)
  })
  return (
    <MediaForm
      run={run}
      isReady={fields.prompt.trim() !== '' && areNumbersFit(fields, RANGES) && !start.isLoading}
      onRun={() => run.start(undefined)}
      action={t('video.run')}
      note={t('video.note')}
      command={writeCurl(toUrl('/v1/video/generations'), toBody(model, fields, picture && '…'), viewer.kind !== 'open')}
      fields={
        <>
          {children}
          <PromptFields fields={fields} onChange={change} />
          <div className={styles.fields}>
            <SelectField
              label={t('images.size')}
              value={fields.size}
              options={[['', t('ofModel')], ...SIZES.map((size) => [size, size.replace('x', ' × ')] as const)]}
              onChange={({ target }) => change({ size: target.value })}
            />
            {NUMBERS.map((name) => (
              <NumberField
                key={name}
                label={t(`video.${name}`)}
                text={fields[name]}
                range={RANGES[name]}
                placeholder={t('ofModel')}
                onChange={(text) => change({ [name]: text })}
              />
            ))}
          </div>
          <FileDrop
            accept="image/*"
            file={picture?.file}
            title={t('video.start')}
            onFile={(file) => void start.take(async () => file)}
            {...(picture !== undefined && { onRemove: start.clear })}
          />
          {start.isUnreadable && <Notice tone="bad">{t('file.unreadable')}</Notice>}
        </>
      }
    >
      {run.reply?.map((url) => (
        <FilmView key={url} url={url} />
      ))}
    </MediaForm>
  )
}
