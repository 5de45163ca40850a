'use client';

export { buildBrandingFontLoadMap } from '@svc/core';
