/** What the address of the files holds. */
export type FilesSearch = {
  /** Files of the organization; else of the installation. */
  of?: 'organization'
  text?: string
  page?: number
}

export const readFilesSearch = (search: Record<string, unknown>): FilesSearch => ({
  of: search.of === 'organization' ? 'organization' : undefined,
  text: typeof search.text === 'string' && search.text !== '' ? search.text : undefined,
  page:
    Number.isSafeInteger(search.page) && Number(search.page) > 1 ? Number(search.page) : undefined
})
