import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from './button.tsx'

/** Copies a text and says so for two seconds. @param text shown beside the drawing when `showLabel` is set */
export function CopyButton({
  text,
  label,
  showLabel = false,
}: {
  readonly text: string
  readonly label?: string
  readonly showLabel?: boolean
}) {
  const { t } = useTranslation()
  const { isCopied, copy } = useCopy(text)
  const name = isCopied ? t('copied') : (label ?? t('copy'))
  return (
    <>
      {showLabel ? (
        <Button small icon={isCopied ? 'check' : 'copy'} onClick={copy}>
          {name}
        </Button>
      ) : (
        <IconButton small icon={isCopied ? 'check' : 'copy'} label={name} onClick={copy} />
      )}
      <span className="visuallyHidden" role="status">
        {isCopied ? t('copied') : ''}
      </span>
    </>
  )
}

/** Copies a text. @returns whether it was copied in the last two seconds */
export function useCopy(text: string): { readonly isCopied: boolean; readonly copy: () => void } {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [isCopied])
  return { isCopied, copy: () => void copyText(text).then(() => setCopied(true)) }
}

/** Copies a text; pages without TLS have no clipboard interface, so a selection is copied there. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
