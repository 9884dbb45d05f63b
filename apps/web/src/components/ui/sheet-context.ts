import { createContext } from 'react'

/** Whether filters are in a sheet, where each has a label of its own. */
export const SheetContext = createContext(false)
