import { createContext } from 'react'

/** Whether filters stand in a sheet, where each has a label of its own. */
export const SheetContext = createContext(false)
