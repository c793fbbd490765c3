/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_chunk_neon.c"

#include "chunk_ae_vector.h"
