import { type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Notice } from '../../components/ui/notice.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { fetchPicture, toDataUrl } from '../../lib/media/picture.ts'
import { useSession } from '../../lib/session.ts'
import { FileDrop } from './file-drop.tsx'
import { editImage, enlargeImage, makeImages, toImageBody } from './image-calls.ts'
import { ImageFields } from './image-fields.tsx'
import { addImages, ImageGallery, type ShownImage } from './image-gallery.tsx'
import { EMPTY_WISH, isWishFit, toWish, writeImageCommand } from './image-wish.ts'
import { MaskEditor, readMask } from './mask-editor.tsx'
import type { Mark } from './mask-marks.ts'
import { MediaForm } from './media-form.tsx'
import { usePicture } from './use-picture.ts'
import { useRun } from './use-run.ts'

const MODES = ['make', 'edit', 'enlarge'] as const
export type ImageMode = (typeof MODES)[number]

/** Longest side of a picture that is edited, in points. */
const MAX_SIDE = 2048

/** Makes, edits and enlarges images. @param children content above the fields */
export function ImagesForm({ model, children }: { readonly model: string; readonly children: ReactNode }) {
  const { t } = useTranslation('playground')
  const { viewer } = useSession()
  const [mode, setMode] = useState<ImageMode>('make')
  const [fields, setFields] = useState(EMPTY_WISH)
  const [scale, setScale] = useState<'2' | '4'>('2')
  const [shown, setShown] = useState<readonly ShownImage[]>([])
  const [marks, setMarks] = useState<readonly Mark[]>([])
  const canvas = useRef<HTMLCanvasElement>(null)
  const source = usePicture(MAX_SIDE, () => setMarks([]))
  const { picture } = source
  const wish = toWish(model, fields, mode === 'edit' ? picture : undefined)
  const callMode = async (signal: AbortSignal) => {
    if (mode === 'make') return makeImages(toImageBody(wish, picture && (await toDataUrl(picture.file))), signal)
    if (picture === undefined) return []
    if (mode === 'enlarge') return enlargeImage(model, picture.file, scale, signal)
    return editImage(wish, picture.file, readMask(picture, canvas.current), signal)
  }
  const run = useRun(async (_: undefined, signal) => {
    const made = await callMode(signal)
    setShown((before) => addImages(before, made, mode === 'enlarge' ? '' : fields.prompt))
    return made
  })
  const take = async (image: ShownImage, next: ImageMode) => {
    setMode(next)
    await source.take((signal) => fetchPicture(image.url, image.name, signal))
  }
  const hasText = mode === 'enlarge' || (fields.prompt.trim() !== '' && isWishFit(fields))
  const hasPicture = mode === 'make' || (picture !== undefined && (mode === 'enlarge' || marks.length > 0))
  return (
    <MediaForm
      run={run}
      isReady={hasText && hasPicture && !source.isLoading}
      onRun={() => run.start(undefined)}
      action={t(`images.run.${mode}`)}
      command={writeImageCommand(mode, wish, scale, viewer.kind !== 'open', picture !== undefined)}
      fields={
        <>
          {children}
          <div className="row">
            <Segmented
              label={t('images.mode')}
              value={mode}
              options={MODES.map((each) => [each, t(`images.modes.${each}`)] as const)}
              onChange={setMode}
            />
          </div>
          <FileDrop
            accept="image/*"
            file={picture?.file}
            title={t(`images.drop.${mode}`)}
            onFile={(file) => void source.take(async () => file)}
            {...(picture !== undefined && { onRemove: source.clear })}
          />
          {source.isUnreadable && <Notice tone="bad">{t('file.unreadable')}</Notice>}
          {mode === 'edit' && picture !== undefined && (
            <MaskEditor key={picture.file.name} picture={picture} canvas={canvas} marks={marks} onMarks={setMarks} />
          )}
          {mode === 'enlarge' ? (
            <div className="row">
              <Segmented
                label={t('images.scale')}
                value={scale}
                options={[
                  ['2', '2×'],
                  ['4', '4×'],
                ]}
                onChange={setScale}
              />
            </div>
          ) : (
            <ImageFields fields={fields} onChange={setFields} isEdit={mode === 'edit'} />
          )}
        </>
      }
    >
      {shown.length > 0 && (
        <ImageGallery
          images={shown}
          onTake={(image, next) => void take(image, next)}
          onRemove={(id) => setShown(shown.filter((image) => image.id !== id))}
        />
      )}
    </MediaForm>
  )
}
