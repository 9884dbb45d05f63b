import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { SheetContext } from './sheet-context.ts'

/** Filters one below the other, at the lower edge of the page. They act at once. */
export function FilterSheet({ onClose, children }: { readonly onClose: () => void; readonly children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <Dialog
      title={t('filters.open')}
      isSheet
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          {t('filters.done')}
        </Button>
      }
    >
      <SheetContext value={true}>{children}</SheetContext>
    </Dialog>
  )
}
