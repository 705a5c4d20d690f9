const pageSize = 100;

/**
 * The items of a list that has page numbers, page after page as they are taken.
 * @param read one page, its items; fewer than asked for end the list
 */
export async function* everyPage<T>(
  read: (page: { pageNum: string; pageSize: string }) => Promise<readonly T[]>,
): AsyncGenerator<T, void, void> {
  for (let pageNum = 1; ; pageNum++) {
    const items = await read({ pageNum: String(pageNum), pageSize: String(pageSize) });
    yield* items;
    if (items.length < pageSize) return;
  }
}

/** All items of such a list. */
export async function allPages<T>(read: Parameters<typeof everyPage<T>>[0]): Promise<T[]> {
  const items: T[] = [];
  for await (const item of everyPage(read)) items.push(item);
  return items;
}
