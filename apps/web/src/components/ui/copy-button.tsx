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
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    await copyText(text)
    setCopied(true)
  }
  const name = isCopied ? t('copied') : (label ?? t('copy'))
  return (
    <>
      {showLabel ? (
        <Button small icon={isCopied ? 'check' : 'copy'} onClick={() => void copy()}>
          {name}
        </Button>
      ) : (
        <IconButton small icon={isCopied ? 'check' : 'copy'} label={name} onClick={() => void copy()} />
      )}
      <span className="vh" role="status">
        {isCopied ? t('copied') : ''}
      </span>
    </>
  )
}

/** Copies a text; pages without TLS have no clipboard interface, so a selection is copied there. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
