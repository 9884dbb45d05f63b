import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, buttonClass, IconButton } from '../../components/ui/button.tsx'
import { createId } from '../../lib/chat/types.ts'
import { createFileStamp } from '../../lib/download.ts'
import type { MadeImage } from './image-calls.ts'
import * as styles from './playground.module.css'

/** An image of the gallery. */
export interface ShownImage {
  readonly id: string
  readonly url: string
  /** For the saved file. */
  readonly name: string
  /** Empty for an enlarged image. */
  readonly prompt: string
}

/** Most images of the page. The server has them a while longer. */
const MAX_SHOWN = 60

/** Puts new images before the others. */
export function addImages(
  before: readonly ShownImage[],
  made: readonly MadeImage[],
  prompt: string,
): readonly ShownImage[] {
  const stamp = createFileStamp()
  const added = made.map(({ url, ending }, index) => ({
    id: createId(),
    url,
    prompt,
    name: `image-${stamp}-${index + 1}.${ending}`,
  }))
  return [...added, ...before].slice(0, MAX_SHOWN)
}

/** The images that were made on this page, the newest first. */
export function ImageGallery({
  images,
  onTake,
  onRemove,
}: {
  readonly images: readonly ShownImage[]
  /** Another step begins with an image. */
  readonly onTake: (image: ShownImage, mode: 'make' | 'edit' | 'enlarge') => void
  readonly onRemove: (id: string) => void
}) {
  const { t } = useTranslation('playground')
  return (
    <ul className={styles.gallery} aria-label={t('images.gallery')}>
      {images.map((image) => (
        <li key={image.id}>
          <figure className={styles.made}>
            <KeptImage image={image} />
            {image.prompt !== '' && <figcaption className="meta">{image.prompt}</figcaption>}
          </figure>
          <div className="row wrap">
            <a className={buttonClass('small')} href={image.url} download={image.name}>
              {t('download')}
            </a>
            <Button small onClick={() => onTake(image, 'edit')}>
              {t('images.modes.edit')}
            </Button>
            <Button small onClick={() => onTake(image, 'make')}>
              {t('images.startFrom')}
            </Button>
            <Button small onClick={() => onTake(image, 'enlarge')}>
              {t('images.modes.enlarge')}
            </Button>
            <IconButton small icon="x" label={t('images.remove')} onClick={() => onRemove(image.id)} />
          </div>
        </li>
      ))}
    </ul>
  )
}

/** An image on the server, which keeps it only for a while. */
function KeptImage({ image: { url, prompt } }: { readonly image: ShownImage }) {
  const { t } = useTranslation('playground')
  const [isGone, setGone] = useState(false)
  if (isGone) return <p className="meta">{t('gone')}</p>
  return (
    <a href={url} target="_blank" rel="noopener">
      <img src={url} alt={prompt === '' ? t('images.enlarged') : prompt} onError={() => setGone(true)} />
    </a>
  )
}
